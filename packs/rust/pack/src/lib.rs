//! One payload's codec pack. The module `generated` is written from the payload's schema.
