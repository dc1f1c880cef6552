import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { tables } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { pillClass } from '#web/ui/pill.ts'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useForm } from '#web/forms/use-form.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { dayNotesQuery } from './day-notes.ts'
import { type DayNote, notesOfMonth } from './series.ts'

interface NoteDialogProps {
  userId: string
  zone: string
  /** `2026-01-31`; undefined while it is closed. */
  day: string | undefined
  notes: readonly DayNote[]
  /** Whether a month was pressed: the dialog then leads to all of its notes. */
  isMonth: boolean
  onClose: () => void
}

const dayFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** Writes, changes and deletes the note on a day. */
export function NoteDialog({ day, onClose, ...props }: NoteDialogProps) {
  return (
    <Dialog open={day !== undefined} onClose={onClose} title="Note">
      {day === undefined ? null : <NoteForm day={day} onClose={onClose} {...props} />}
    </Dialog>
  )
}

const noteForm = z.object({
  day: z.string().check(z.regex(/^20\d\d-/, 'Please enter a day')),
  text: z.string().check(z.trim(), z.minLength(1, 'Please enter a note')),
})

function NoteForm({
  userId,
  zone,
  day: pressed,
  notes,
  isMonth,
  onClose,
}: NoteDialogProps & { day: string }) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const noteOn = (wanted: string) => notes.find(({ day }) => day === wanted)
  const [day, setDay] = useState(pressed)
  /** A text that was typed stays when the day changes; `on` is the day at which it began. */
  const [typed, setTyped] = useState<{ text: string; on: string }>()
  const stored = noteOn(day)
  const text = typed?.text ?? stored?.text ?? ''
  const replaced = typed === undefined || typed.on === day ? undefined : stored?.text

  function openDay(chosen: string) {
    setDay(chosen)
    if (text.trim() === '') setTyped(undefined)
  }

  async function end(title: string) {
    await client.invalidateQueries(dayNotesQuery(userId))
    notifySuccess({ title })
    close()
  }
  const form = useForm({
    schema: noteForm,
    values: { day, text },
    issueNotice: null,
    submit: async (note) => {
      const { error } =
        stored === undefined
          ? await tables.from('day_notes').insert(note)
          : await tables.from('day_notes').update(note).eq('id', stored.id)
      if (error !== null)
        return error.hint === 'too_many_rows'
          ? { field: 'text', text: error.message }
          : { notice: { title: 'Error', description: 'Failed to save the note' } }
      return end('Note saved')
    },
  })
  const deletion = useForm({
    schema: z.object({}),
    values: {},
    submit: async () => {
      const { error } = await tables
        .from('day_notes')
        .delete()
        .eq('id', stored?.id ?? '')
      if (error !== null)
        return { notice: { title: 'Error', description: 'Failed to delete the note' } }
      return end('Note deleted')
    },
  })

  return (
    <form {...form.props} className="grid gap-4">
      <DayPills notes={isMonth ? notesOfMonth(notes, pressed) : []} day={day} onOpen={openDay} />
      <Field
        label="Day"
        name="day"
        type="date"
        min="2000-01-01"
        max="2099-12-31"
        value={day}
        error={form.errorOf('day')}
        onChange={({ target }) => openDay(target.value)}
      />
      <Field
        label="Text"
        name="text"
        maxLength={200}
        autoComplete="off"
        placeholder="Newsletter went out"
        data-first-focus
        value={text}
        error={form.errorOf('text')}
        hint={replaced === undefined ? undefined : <ReplacedNote text={replaced} />}
        onChange={({ target }) => setTyped({ text: target.value, on: typed?.on ?? day })}
      />
      <p className="text-sm text-ink-faint">Days in {zone}, in all of your reports</p>
      <DialogActions>
        {stored === undefined ? (
          <Button onClick={onClose}>Cancel</Button>
        ) : (
          <Button look="danger" busy={deletion.busy} onClick={() => deletion.submit()}>
            Delete
          </Button>
        )}
        <Button type="submit" look="ink" busy={form.busy}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}

/** The typed text came from another day. A save replaces the note of this one. */
function ReplacedNote({ text }: { text: string }) {
  return (
    <span className="wrap-anywhere">
      Replaces “<bdi>{text}</bdi>”.
    </span>
  )
}

interface DayPillsProps {
  notes: readonly DayNote[]
  /** The open one. */
  day: string
  onOpen: (day: string) => void
}

/** Several notes of a month, by day. */
function DayPills({ notes, day, onOpen }: DayPillsProps) {
  if (notes.length < 2) return null
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Notes of the month</legend>
      {notes.map((note) => (
        <button
          key={note.id}
          type="button"
          title={note.text}
          aria-pressed={note.day === day}
          onClick={() => onOpen(note.day)}
          className={pillClass}
        >
          {dayFormat.format(new Date(note.day))}
        </button>
      ))}
    </fieldset>
  )
}
