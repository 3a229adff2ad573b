//! `weft cache`

use serde_json::json;
use tools::cache::{self, Cleaned};

use crate::Verdict;
use crate::arguments::CacheAction;
use crate::report::{self, Report};

pub fn cache(action: &CacheAction, report: &Report) -> anyhow::Result<Verdict> {
    let path = cache::path();
    let shown = path.display();
    match action {
        CacheAction::Path => report.answer(&shown.to_string(), || json!({ "path": report::path(&path) })),
        CacheAction::Clean => {
            let Cleaned { entries, bytes, busy } = cache::clean()?;
            let kept = if busy == 0 { String::new() } else { format!("; {busy} in use were kept") };
            report.answer(
                &format!("{shown}: removed {entries} entries, {bytes} bytes{kept}"),
                || json!({ "path": report::path(&path), "entries": entries, "bytes": bytes, "busy": busy }),
            )
        }
    }
}
