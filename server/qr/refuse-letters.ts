import { HttpError } from '../http/errors.ts'
import { LetterMissingError } from '../pdf/make-pdf.ts'

/** @param advice a sentence on how to do without the text @throws {HttpError} 422 about a text with letters that no font of PDFs has */
export async function refusingLetters<Result>(
  made: Promise<Result>,
  advice: string,
): Promise<Result> {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof LetterMissingError)) throw error
    const letters = Array.from(error.text)
    const shown = letters.length > 60 ? `${letters.slice(0, 60).join('')}…` : error.text
    throw new HttpError(
      422,
      `The caption “${shown}” has letters that the font of PDF files lacks: it has Latin, Vietnamese and Cyrillic ones. ${advice}`,
    )
  }
}
