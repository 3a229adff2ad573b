//! A value as it was written, before a key checks it.

use std::fmt;

use toml::de::DeValue;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Integer(i128),
    /// A floating-point number, as written.
    Float(String),
    Text(String),
    Boolean(bool),
    Array(Vec<Given>),
    /// A type that no key accepts; messages print `shown`.
    Other {
        name: &'static str,
        shown: String,
    },
}

impl Given {
    /// Converts any TOML value except a table.
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Self {
        let other = |name, shown: &str| Self::Other { name, shown: shown.to_owned() };
        match value {
            DeValue::Integer(integer) => match i128::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) => Self::Integer(number),
                Err(_) => other("an integer of more than 127 bits", integer.as_str()),
            },
            DeValue::String(text) => Self::Text(text.clone().into_owned()),
            DeValue::Boolean(truth) => Self::Boolean(*truth),
            DeValue::Float(float) => Self::Float(float.as_str().to_owned()),
            DeValue::Datetime(date) => other("a date", &date.to_string()),
            DeValue::Array(values) => {
                Self::Array(values.iter().map(|value| Self::from_toml(value.get_ref())).collect())
            }
            DeValue::Table(_) => other("a table", "{…}"),
        }
    }

    pub(crate) fn from_value(value: &toml::Value) -> Self {
        match value {
            toml::Value::Integer(number) => Self::Integer((*number).into()),
            toml::Value::Float(number) => Self::Float(number.to_string()),
            toml::Value::Boolean(truth) => Self::Boolean(*truth),
            toml::Value::Array(values) => Self::Array(values.iter().map(Self::from_value).collect()),
            other => Self::Text(other.as_str().unwrap_or_default().to_owned()),
        }
    }

    /// Returns the type with its article, for messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a floating-point number",
            Self::Text(_) => "a string",
            Self::Boolean(_) => "a boolean",
            Self::Array(_) => "an array",
            Self::Other { name, .. } => name,
        }
    }
}

impl fmt::Display for Given {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Float(number) => formatter.write_str(number),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Boolean(truth) => write!(formatter, "{truth}"),
            Self::Array(values) => {
                let values: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(formatter, "[{}]", values.join(", "))
            }
            Self::Other { shown, .. } => formatter.write_str(shown),
        }
    }
}
