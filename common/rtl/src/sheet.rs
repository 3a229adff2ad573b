//! A page of Verilog: lines, comments and blocks, with the blank lines between them.

#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
    /// Whether a blank line stands before what comes next.
    gap: bool,
    after_comment: bool,
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
    }

    /// Lines that stand apart.
    pub fn block(&mut self, text: &str) {
        self.gap();
        self.lines(text);
        self.gap();
    }

    /// A comment on what comes next.
    pub fn comment(&mut self, indent: &str, text: &str) {
        for line in text.lines() {
            self.lines(&format!("{}\n", format!("{indent}// {line}").trim_end()));
        }
        self.after_comment = true;
    }

    /// The page, with its last line.
    pub fn close(self, last: &str) -> String {
        self.text + last
    }
}
