import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { isSameLook, plainQrLook, qrLimits, type QrLook } from '#domain/qr/qr-look.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { tables } from '#web/api/client.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { looksQuery, type SavedLook } from '#web/qr/looks-query.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'

interface SavedLooksProps {
  userId: string
  look: QrLook
  onLook: (look: QrLook) => void
}

const failed = { title: 'Error', description: 'The look could not be saved. Please try again.' }

/** Looks of the account: choose one, save this one, make one the default. */
export function SavedLooks({ userId, look, onLook }: SavedLooksProps) {
  const client = useQueryClient()
  const { data: looks = [] } = useQuery(looksQuery(userId))
  const [name, setName] = useState('')
  const isPlain = isSameLook(look, plainQrLook)
  const current = isPlain ? undefined : looks.find((each) => isSameLook(each.look, look))
  const change = useAction(async (write: () => PromiseLike<unknown>, title: string) => {
    try {
      await write()
      await client.invalidateQueries(looksQuery(userId))
      notifySuccess({ title })
      setName('')
    } catch (error) {
      notifyError((error instanceof Error ? refusalNotice(error) : undefined) ?? failed)
    }
  })
  const trimmed = name.trim()
  const same = looks.find((each) => each.name.toLowerCase() === trimmed.toLowerCase())
  const save = () => {
    if (trimmed === '') return
    const stored = { ...look }
    change.run(
      () =>
        same === undefined
          ? tables.from('qr_looks').insert({ name: trimmed, look: stored }).throwOnError()
          : tables.from('qr_looks').update({ look: stored }).eq('id', same.id).throwOnError(),
      'Look saved',
    )
  }
  return (
    <section
      aria-labelledby="looks"
      className="grid gap-3 rounded-2xl border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="looks" className="text-sm font-medium">
        Looks
      </h2>
      <ul className="grid gap-1.5">
        <LookRow name="Plain" isOn={isPlain} onPress={() => onLook(plainQrLook)} />
        {looks.map((each) => (
          <LookRow
            key={each.id}
            name={each.name}
            isOn={each === current}
            isDefault={each.isDefault}
            onPress={() => onLook(each.look)}
          >
            <Allowed right="links:write">
              <LookActions saved={each} busy={change.busy} change={change.run} />
            </Allowed>
          </LookRow>
        ))}
      </ul>
      <Allowed right="links:write">
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            save()
          }}
        >
          <div className="min-w-0 grow">
            <Field
              label="Save look as"
              value={name}
              maxLength={qrLimits.lookName}
              onChange={({ target }) => setName(target.value)}
            />
          </div>
          <Button type="submit" busy={change.busy} disabled={trimmed === ''}>
            <Bookmark size={16} aria-hidden />
            {same === undefined ? 'Save' : 'Replace'}
          </Button>
        </form>
      </Allowed>
      {looks.length >= qrLimits.looks ? (
        <p className="text-sm text-ink-soft">An account has at most {qrLimits.looks} looks.</p>
      ) : null}
    </section>
  )
}

interface LookRowProps {
  name: string
  isOn: boolean
  isDefault?: boolean
  onPress: () => void
  children?: React.ReactNode
}

function LookRow({ name, isOn, isDefault = false, onPress, children }: LookRowProps) {
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-1.5">
      <button
        type="button"
        aria-pressed={isOn}
        onClick={onPress}
        className="min-h-9 min-w-0 grow truncate rounded-xl border border-line px-3 text-left text-sm hover:border-edge aria-pressed:border-ink aria-pressed:font-medium pointer-coarse:min-h-11"
      >
        {name}
        {isDefault ? <span className="text-ink-faint"> · default</span> : null}
      </button>
      {children}
    </li>
  )
}

interface LookActionsProps {
  saved: SavedLook
  busy: boolean
  change: (write: () => PromiseLike<unknown>, title: string) => void
}

function LookActions({ saved, busy, change }: LookActionsProps) {
  return (
    <>
      <Button
        size="small"
        busy={busy}
        aria-label={
          saved.isDefault ? `${saved.name}: no longer the default` : `${saved.name}: make default`
        }
        onClick={() =>
          change(
            () =>
              tables
                .from('qr_looks')
                .update({ is_default: !saved.isDefault })
                .eq('id', saved.id)
                .throwOnError(),
            saved.isDefault ? 'Codes are plain again' : `All codes look like ${saved.name} now`,
          )
        }
      >
        {saved.isDefault ? 'Not default' : 'Make default'}
      </Button>
      <Button
        size="small"
        busy={busy}
        aria-label={`Delete the look ${saved.name}`}
        onClick={() =>
          change(
            () => tables.from('qr_looks').delete().eq('id', saved.id).throwOnError(),
            'Look deleted',
          )
        }
      >
        <Trash2 size={16} aria-hidden />
      </Button>
    </>
  )
}
