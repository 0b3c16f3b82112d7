
// The page of one variant.
{
  const details = dataOf("details");
  const panes = makePanes(details, at("detail").dataset.program);
  const [variant] = details.variants;
  const sides = panes.sides(variant, (id) => history.replaceState(null, "", `#${id}`));
  at("detail").replaceChildren(make("h2", {}, "The recipe beside its sources"), sides.body,
    ...panes.findings(variant), ...panes.settings(variant));
  say("");
  const follow = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!name) return;
    if (sides.follow(name)) scrollTo(0, 0);
    else panes.followSetting(at("detail"), name);
  };
  addEventListener("hashchange", follow);
  follow();
}
