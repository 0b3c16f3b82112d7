//! Starts `tvarc lsp` for Zed. To name another program, use the setting `lsp.tvarc.binary.path` of Zed.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Tvarc;

impl zed::Extension for Tvarc {
    fn new() -> Self {
        Tvarc
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let program = worktree.which("tvarc").ok_or(
            "`tvarc` is not in the PATH: install it, or name it in the setting `lsp.tvarc.binary.path`",
        )?;
        Ok(Command {
            command: program,
            args: vec!["lsp".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Tvarc);
