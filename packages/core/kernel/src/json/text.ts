type ES2024Text = string & { isWellFormed(): boolean };

/** Text that every store can hold: UTF-16 without half surrogate pairs. */
export function isWellFormedText(text: string): boolean {
  return (text as ES2024Text).isWellFormed();
}

/** Bytes of `text` in UTF-8; a lone surrogate counts three, as U+FFFD would. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
