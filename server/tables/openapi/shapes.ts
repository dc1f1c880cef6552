import * as z from 'zod'

/** Facts of a procedure that the catalog lacks: values of its arguments, by name, and the JSON of its answer. */
export interface ProcedureShape {
  args?: Readonly<Record<string, z.ZodType>>
  result?: z.ZodType
}

export type ProcedureShapes = Readonly<Record<string, ProcedureShape>>

export const instant = z.string().meta({ format: 'date-time' })
export const calendarDay = z.iso.date()
export const count = z.int().min(0)
export const cents = z.int()
export const nullableText = z.string().nullable()
