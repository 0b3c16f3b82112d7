"""image.py FILE: writes an OCI image as a tar to the standard output, as `docker load` reads it.

FILE is JSON that says what the image has. Each store path is a layer of its own, as far as there
may be so many layers, and the last layer has links to the contents. The bytes of a layer depend on
its paths alone, so images share it.
"""

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime, member.uid, member.gid, member.uname, member.gname = 1, 0, 0, "root", "root"
    return member


def layer(paths: list[str], links: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for path in paths:
            tar.add(path, path.lstrip("/"), filter=plain)
        for name, target in sorted(links.items()):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(plain(member))
    return data.getvalue()


def links_to(contents: list[str]) -> dict[str, str]:
    """Links at the top of the image to the files of the packages in it."""
    return {
        str(file.relative_to(package)): str(file)
        for package in contents
        for file in sorted(Path(package).rglob("*"))
        if not file.is_dir()
    }


def add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(plain(member), io.BytesIO(data))


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    paths = Path(given["closure"]).read_text(encoding="utf-8").split()
    most = given["layers"] - 1
    grouped = [[path] for path in paths[:most]] + [paths[most:]] * (len(paths) > most)
    layers = [layer(group, {}) for group in grouped] + [layer([], links_to(given["contents"]))]
    digests = [hashlib.sha256(one).hexdigest() for one in layers]
    config = json.dumps(
        {
            "architecture": given["architecture"],
            "os": "linux",
            "created": "1970-01-01T00:00:01+00:00",
            "config": given["config"],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{one}" for one in digests]},
        }
    ).encode()
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    names = [f"{one}/layer.tar" for one in digests]
    manifest = [{"Config": config_name, "RepoTags": [given["tag"]], "Layers": names}]
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as tar:
        for name, data in zip(names, layers, strict=True):
            add(tar, name, data)
        add(tar, config_name, config)
        add(tar, "manifest.json", json.dumps(manifest).encode())


main()
