import * as z from 'zod/mini'

// Besides what Unicode lists as ignorable: the blank braille pattern and the marks of interlinear notes.
const visible = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u

/** Whether somebody would see anything of a text. app.is_visible in the database says the same. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}

/** A text of at most so many characters, trimmed. An emoji is one character, as the database counts. */
export function limitedText(most: number, tooLong: string) {
  return z.string().check(z.trim(), z.refine(isAtMost(most), tooLong))
}

/** The same for a text that must be there, to be seen. */
export function requiredText(most: number, missing: string, tooLong: string) {
  return z.string().check(z.trim(), z.refine(isVisible, missing), z.refine(isAtMost(most), tooLong))
}

function isAtMost(most: number): (text: string) => boolean {
  return (text) => Array.from(text).length <= most
}
