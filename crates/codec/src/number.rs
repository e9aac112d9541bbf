//! Numbers by their JSON text: integers of any size and decimals are more than 64-bit floats.

/// A number as its sign, its digits without zeros at the ends, and the exponent of the last one.
#[derive(PartialEq)]
struct Exact<'a> {
    is_negative: bool,
    digits: String,
    exponent: i64,
    text: &'a str,
}

impl<'a> Exact<'a> {
    fn of(text: &'a str) -> Self {
        let rest = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let zeros = (all.len() - digits.len()) as i64;
        let digits = digits.trim_start_matches('0').to_owned();
        let exponent = power.parse::<i64>().unwrap_or(0) - fraction.len() as i64 + zeros;
        Self {
            is_negative: rest.len() < text.len(),
            exponent: if digits.is_empty() { 0 } else { exponent },
            digits,
            text,
        }
    }

    fn value(&self) -> (bool, &str, i64) {
        (self.is_negative, &self.digits, self.exponent)
    }

    fn is_integer(&self) -> bool {
        !self.text.contains(['.', 'e', 'E'])
    }

    /// Whether the zeros at its end or its form show a decimal: `1.50`, `1E+2`.
    fn is_decimal(&self) -> bool {
        let fraction = self.text.split_once('.').map_or("", |(_, digits)| digits);
        self.text.contains('E') || (fraction.len() > 1 && fraction.ends_with('0'))
    }

    /// Whether it has the digits with which its 64-bit float is written.
    fn is_shortest(&self, float: f64) -> bool {
        Exact::of(&format!("{float:e}")).value() == self.value()
    }
}

/// Whether two JSON numbers are the same. 1 and 1.0 are, and two texts of one float; integers and
/// decimals are compared digit by digit. The sign of zero counts.
pub fn same_number(sent: &str, received: &str) -> bool {
    if sent == received {
        return true;
    }
    let (one, two) = (Exact::of(sent), Exact::of(received));
    if one.is_decimal() || two.is_decimal() {
        return false;
    }
    if one.value() == two.value() {
        return true;
    }
    let (Ok(before), Ok(after)) = (sent.parse::<f64>(), received.parse::<f64>()) else {
        return false;
    };
    let is_float = !(one.is_integer() && two.is_integer()) && one.is_shortest(before);
    is_float && before == after && one.is_negative == two.is_negative
}

#[cfg(test)]
mod tests {
    use super::same_number;

    #[test]
    fn a_number_is_the_same_in_every_spelling_of_a_float() {
        for (one, other) in [
            ("1", "1.0"),
            ("100.0", "1e2"),
            ("1e+16", "10000000000000000.0"),
            ("0.1", "0.10000000000000001"),
            ("0.0", "0"),
            ("-1.5e-7", "-0.00000015"),
        ] {
            assert!(same_number(one, other), "{one} {other}");
        }
    }

    #[test]
    fn digits_that_no_float_has_are_not_lost_unseen() {
        for (one, other) in [
            ("18446744073709551615", "18446744073709551614"),
            ("9007199254740993", "9007199254740992"),
            ("9007199254740992", "9007199254740993"),
            ("0.1234567890123456789", "0.12345678901234568"),
            ("36893488147419103233", "36893488147419103232"),
            ("1.50", "1.5"),
            ("1.5", "1.50"),
            ("1.2E+2", "120"),
            ("-0.0", "0.0"),
            ("1", "2"),
        ] {
            assert!(!same_number(one, other), "{one} {other}");
        }
    }
}
