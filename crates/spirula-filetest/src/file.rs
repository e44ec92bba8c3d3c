//! A test file: directives, text, expected output.

use std::path::{Path, PathBuf};

use spirula_cli::{PRELUDES, Version};
use spirula_text::{AsmOptions, assemble_with_map};
use spirula_val::TargetEnv;

use crate::marks::comment_of;

/// What is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The validator's findings.
    Val,
    /// What is found between the stages of a pipeline.
    Link,
    /// The disassembler's text.
    Dis,
    /// The assembler's words or errors.
    As,
    /// What reflection says.
    Reflect,
}

/// A test.
#[derive(Debug)]
pub(crate) struct TestFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) env: Option<TargetEnv>,
    /// Minor version for the header.
    pub(crate) version: Option<u8>,
    pub(crate) options: Vec<String>,
    prelude: Option<&'static str>,
    hex: bool,
    /// All lines of the file.
    pub(crate) lines: Vec<String>,
    /// How many lines at the start are directives.
    pub(crate) directives: usize,
    /// How many lines there are before the expected output.
    pub(crate) body_end: usize,
}

/// A module made from a test file.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) words: Vec<u32>,
    /// The text that was assembled: the file's, perhaps within a prelude.
    pub(crate) text: String,
    /// For each line of that text, the line of the file (both from 0) that it is; prelude lines are none.
    pub(crate) origin: Vec<Option<usize>>,
    /// For each instruction, its first word and its line (from 1) in that text.
    pub(crate) lines: Vec<(u32, u32)>,
}

/// An error of the assembler: the file's line (from 0), if it is one, and the message.
pub(crate) type TextError = (Option<usize>, String);

impl TestFile {
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<TestFile, String> {
        let text = String::from_utf8(bytes.to_vec()).map_err(|_| "the file is not UTF-8".to_owned())?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let body_end = lines.iter().position(|l| l.trim_end() == "; expect:").unwrap_or(lines.len());
        let mut file = TestFile {
            path: path.to_owned(),
            kind: Kind::Val,
            env: None,
            version: None,
            options: Vec::new(),
            prelude: None,
            hex: false,
            directives: 0,
            body_end,
            lines,
        };
        let mut kind = None;
        for (i, line) in file.lines.clone().iter().enumerate() {
            let Some(comment) = line.trim().strip_prefix(';') else {
                if line.trim().is_empty() {
                    continue;
                }
                break;
            };
            let comment = comment.trim();
            let (key, value) = comment.split_once([':', ' ']).unwrap_or((comment, ""));
            if file.directive(key, value.trim(), &mut kind).map_err(|e| format!("line {}: {e}", i + 1))? {
                file.directives = i + 1;
            }
        }
        file.kind = kind.ok_or(
            "the file lacks its first line: `; test val`, `; test link`, `; test dis`, `; test as` or `; test reflect`",
        )?;
        Ok(file)
    }

    /// Takes a directive; false where the comment is none.
    fn directive(&mut self, key: &str, value: &str, kind: &mut Option<Kind>) -> Result<bool, String> {
        match key {
            "test" => {
                *kind = Some(match value {
                    "val" => Kind::Val,
                    "link" => Kind::Link,
                    "dis" => Kind::Dis,
                    "as" => Kind::As,
                    "reflect" => Kind::Reflect,
                    _ => return Err(format!("`{value}` is not one of val, link, dis, as, reflect")),
                });
            }
            "env" => self.env = Some(value.parse().map_err(|e: spirula_val::UnknownEnv| e.to_string())?),
            "version" => {
                let minor = value.strip_prefix("1.").and_then(|m| m.parse().ok());
                self.version = Some(minor.ok_or_else(|| format!("`{value}` is no version like 1.3"))?);
            }
            "options" => self.options.extend(value.split_whitespace().map(str::to_owned)),
            "prelude" => {
                // What stands behind the name in parentheses explains it.
                let name = value.split_whitespace().next().unwrap_or("");
                let found = PRELUDES.iter().find(|p| p.name == name);
                self.prelude = Some(found.ok_or_else(|| format!("there is no prelude `{name}`"))?.text);
            }
            "input" if value == "hex" => self.hex = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Makes the module. The error is the assembler's.
    pub(crate) fn build(&self, options: AsmOptions) -> Result<Built, Vec<TextError>> {
        if self.hex {
            return self.build_hex().map_err(|e| vec![e]);
        }
        let (text, origin) = self.text().map_err(|e| vec![e])?;
        match assemble_with_map(text.as_bytes(), &options) {
            Ok(made) => {
                let lines = made.spots.iter().map(|s| (s.word, s.line)).collect();
                Ok(Built { words: made.words, text, origin, lines })
            }
            Err(errors) => Err(errors
                .iter()
                .map(|e| {
                    let line = origin.get(e.line.saturating_sub(1) as usize).copied().flatten();
                    let prelude =
                        if line.is_none() { format!(" (line {} with the prelude)", e.line) } else { String::new() };
                    (line, format!("{}{prelude}", e.message))
                })
                .collect()),
        }
    }

    /// Options to assemble with: the environment's version, and whatever the validator is to judge.
    pub(crate) fn asm_options(&self) -> AsmOptions {
        AsmOptions {
            version: self.version(),
            any_version: matches!(self.kind, Kind::Val | Kind::Link),
            ..AsmOptions::default()
        }
    }

    /// The version for the header; the newest where it is not said.
    fn version(&self) -> Option<Version> {
        self.version.map(Version::v1).or(self.env.map(|e| e.version))
    }

    /// The text to assemble, and which line of the file each of its lines is.
    fn text(&self) -> Result<(String, Vec<Option<usize>>), TextError> {
        let body = self.lines.iter().take(self.body_end);
        let Some(prelude) = self.prelude else {
            let text = body.map(String::as_str).collect::<Vec<_>>().join("\n") + "\n";
            return Ok((text, (0..self.body_end).map(Some).collect()));
        };
        let sections: Vec<&str> = prelude.lines().filter_map(section).collect();
        let mut current = "body";
        let mut parts: Vec<(&str, usize, &str)> = Vec::new();
        for (i, line) in body.enumerate() {
            if let Some(name) = section(line) {
                if !sections.contains(&name) {
                    let message = format!("no section `{name}` in the prelude; it has {}", sections.join(", "));
                    return Err((Some(i), message));
                }
                current = name;
            } else if i >= self.directives {
                parts.push((current, i, line));
            }
        }
        let (mut text, mut origin) = (String::new(), Vec::new());
        let mut push = |line: &str, from: Option<usize>| {
            text.push_str(line);
            text.push('\n');
            origin.push(from);
        };
        for line in prelude.lines() {
            match section(line) {
                None => push(conditional(line, self.version()).unwrap_or(line), None),
                Some(name) => parts.iter().filter(|p| p.0 == name).for_each(|p| push(p.2, Some(p.1))),
            }
        }
        Ok((text, origin))
    }

    /// A module given as words in hexadecimal. The words' lines are the lines of the file.
    fn build_hex(&self) -> Result<Built, TextError> {
        let (mut words, mut lines) = (Vec::new(), Vec::new());
        for (i, line) in self.lines.iter().enumerate().take(self.body_end).skip(self.directives) {
            let code = comment_of(line).map_or(line.as_str(), |(code, _)| code);
            for token in code.split_whitespace() {
                let word = u32::from_str_radix(token.strip_prefix("0x").unwrap_or(token), 16);
                let word = word.map_err(|_| (Some(i), format!("`{token}` is no 32-bit word in hexadecimal")))?;
                lines.push((words.len() as u32, i as u32 + 1));
                words.push(word);
            }
        }
        let text = self.lines.join("\n");
        Ok(Built { words, text, origin: (0..self.lines.len()).map(Some).collect(), lines })
    }

    /// The lines of the expected output, without their marks.
    pub(crate) fn expected(&self) -> Option<Vec<String>> {
        let after = self.lines.get(self.body_end + 1..)?;
        Some(
            after
                .iter()
                .filter_map(|l| l.strip_prefix(";|"))
                .map(|l| l.strip_prefix(' ').unwrap_or(l).to_owned())
                .collect(),
        )
    }

    /// Compares output with what is expected, and puts it there when blessing.
    pub(crate) fn compare(&self, output: &[String]) -> Result<(), String> {
        // Files are kept without spaces at the ends of lines.
        let output: Vec<String> = output.iter().map(|l| l.trim_end().to_owned()).collect();
        let output = output.as_slice();
        if self.expected().is_some_and(|e| e == output) {
            return Ok(());
        }
        if crate::blessing() {
            let mut lines: Vec<String> = self.lines.get(..self.body_end).unwrap_or(&self.lines).to_vec();
            lines.push("; expect:".to_owned());
            lines.extend(output.iter().map(|l| format!(";| {l}").trim_end().to_owned()));
            return self.save(&lines);
        }
        let Some(expected) = self.expected() else {
            return Err("there is no `; expect:` part; BLESS=1 makes it".to_owned());
        };
        Err(difference(&expected, output))
    }

    /// Writes the file anew.
    pub(crate) fn save(&self, lines: &[String]) -> Result<(), String> {
        std::fs::write(&self.path, lines.join("\n") + "\n").map_err(|e| e.to_string())
    }
}

/// The name in a line `; @name`.
fn section(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix(';')?.trim().strip_prefix('@')?;
    Some(name.split_whitespace().next().unwrap_or(""))
}

/// What stands behind `; if >= 1.4:` or `; if < 1.3:`, where that is so for the version.
fn conditional(line: &str, version: Option<Version>) -> Option<&str> {
    let (condition, code) = line.strip_prefix("; if ")?.split_once(": ")?;
    let (comparison, minor) = condition.split_once(" 1.")?;
    let (minor, version) = (Version::v1(minor.parse().ok()?), version.unwrap_or(Version::v1(6)));
    let so = if comparison == "<" { version < minor } else { version >= minor };
    so.then_some(code)
}

/// The first lines that differ.
pub(crate) fn difference(expected: &[String], found: &[String]) -> String {
    let none = "<nothing>".to_owned();
    let at = (0..).find(|i| expected.get(*i) != found.get(*i)).unwrap_or(0);
    format!(
        "line {} of the output differs:\n  expected: {}\n  found:    {}\n(BLESS=1 takes what is found)",
        at + 1,
        expected.get(at).unwrap_or(&none),
        found.get(at).unwrap_or(&none),
    )
}
