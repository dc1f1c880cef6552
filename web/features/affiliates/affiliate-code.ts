const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Eight random upper-case letters and digits. */
export function makeAffiliateCode(): string {
  let code = ''
  while (code.length < 8) {
    for (const byte of crypto.getRandomValues(new Uint8Array(16))) {
      // 252 is the last multiple of 36 in a byte: without it some letters would come more often.
      if (byte < 252 && code.length < 8) code += letters.charAt(byte % 36)
    }
  }
  return code
}
