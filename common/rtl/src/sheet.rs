//! A page of Verilog: lines, comments and blocks, with the blank lines between them.

use crate::print::{LINE, words};

#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
    /// Whether a blank line stands before what comes next.
    gap: bool,
    after_comment: bool,
    /// What the last line declares, to which another name can be added: its kind and range.
    declares: Option<String>,
}

impl Sheet {
    /// A blank line before what comes next, unless that is what a comment introduces.
    pub fn gap(&mut self) {
        self.gap = !self.after_comment;
    }

    /// Whole lines.
    pub fn lines(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.gap {
            self.text += "\n";
        }
        self.text += text;
        self.gap = false;
        self.after_comment = false;
        self.declares = None;
    }

    /// The declaration of a name, in one line with those before it that are of the same kind.
    pub fn declare(&mut self, kind: &str, name: &str) {
        let line = self.text.trim_end_matches(";\n").rsplit('\n').next().unwrap_or_default().len();
        if !self.gap && self.declares.as_deref() == Some(kind) && line + name.len() + 3 <= LINE {
            self.text.truncate(self.text.len() - ";\n".len());
            self.text += &format!(", {name};\n");
        } else {
            self.lines(&format!("    {kind} {name};\n"));
        }
        self.declares = Some(kind.to_owned());
    }

    /// Lines that stand apart.
    pub fn block(&mut self, text: &str) {
        self.gap();
        self.lines(text);
        self.gap();
    }

    /// A comment on what comes next.
    pub fn comment(&mut self, indent: &str, text: &str) {
        for line in words(text, LINE - indent.len() - 3) {
            self.lines(&format!("{indent}// {line}\n"));
        }
        self.after_comment = true;
    }

    /// The page, with its last line.
    pub fn close(self, last: &str) -> String {
        self.text + last
    }
}
