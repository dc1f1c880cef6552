import * as z from 'zod/mini'

// Besides characters that Unicode lists as ignorable: the blank braille pattern and the marks of interlinear notes.
const visible = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u

/** Whether a text shows anything at all. app.is_visible in the database says the same. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}

/** A text of at most so many characters, trimmed. An emoji is one character, as the database counts. */
export function limitedText(maxLength: number, tooLong: string) {
  return z.string().check(z.trim(), z.refine(isAtMost(maxLength), tooLong))
}

/** A limited text that must show something. */
export function requiredText(maxLength: number, missing: string, tooLong: string) {
  return z
    .string()
    .check(z.trim(), z.refine(isVisible, missing), z.refine(isAtMost(maxLength), tooLong))
}

function isAtMost(maxLength: number): (text: string) => boolean {
  return (text) => Array.from(text).length <= maxLength
}
