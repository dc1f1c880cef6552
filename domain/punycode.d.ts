declare module 'punycode/punycode.es6.js' {
  /** `xn--mnchen-3ya` as münchen, label by label. @throws RangeError for a label that is not punycode */
  export function toUnicode(host: string): string
}
