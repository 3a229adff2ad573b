//! A page of Verilog: lines, comments and blocks, with the blank lines between them.

use crate::print::{LINE, words};

#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
    /// Whether a blank line precedes the next line.
    gap: bool,
    after_comment: bool,
    /// Whether the last lines are a block of a single line.
    after_short: bool,
    /// The declarations of the last paragraph: of each line the kind and range, and where another name can be added.
    declared: Vec<(String, usize)>,
}

impl Sheet {
    /// Requests a blank line before the next line, unless a comment precedes it.
    pub fn gap(&mut self) {
        self.gap = !self.after_comment;
    }

    pub fn lines(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.gap {
            self.text += "\n";
        }
        if self.gap || self.after_comment {
            self.declared.clear();
        }
        self.text += text;
        self.gap = false;
        self.after_comment = false;
        self.after_short = false;
    }

    /// Declares a name, on the line of a declaration of the same kind if there is one in the paragraph.
    pub fn declare(&mut self, kind: &str, name: &str) {
        let added = format!(", {name}");
        let line = |end: usize| self.text[..end].rsplit('\n').next().unwrap_or_default().len();
        let has_room = |(of, end): &(String, usize)| of == kind && line(*end) + added.len() < LINE;
        if let Some(number) = self.declared.iter().rposition(has_room).filter(|_| !self.gap) {
            self.text.insert_str(self.declared[number].1, &added);
            self.declared[number..].iter_mut().for_each(|(_, end)| *end += added.len());
            return;
        }
        self.lines(&format!("    {kind} {name};\n"));
        self.declared.push((kind.to_owned(), self.text.len() - ";\n".len()));
    }

    /// Adds lines with a blank line before and after them, unless they are one line after another.
    pub fn block(&mut self, text: &str) {
        let is_short = text.lines().count() == 1;
        self.gap = !(self.after_comment || self.after_short && is_short);
        self.lines(text);
        self.after_short = is_short;
        self.gap();
    }

    pub fn comment(&mut self, indent: &str, text: &str) {
        for line in words(text, LINE - indent.len() - 3) {
            self.lines(&format!("{indent}// {line}\n"));
        }
        self.after_comment = true;
    }

    pub fn close(self, last: &str) -> String {
        self.text + last
    }
}
