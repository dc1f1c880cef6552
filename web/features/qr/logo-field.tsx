import { Trash2, Upload } from 'lucide-react'
import { type ChangeEvent, useRef, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { LogoProblem, readLogo } from './read-logo.ts'

interface LogoFieldProps {
  logo: string | null
  onChange: (logo: string | null) => void
}

/** A picture from this device for the middle of the code. */
export function LogoField({ logo, onChange }: LogoFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState('')
  const read = useAction(async (file: File) => {
    try {
      onChange(await readLogo(file))
      setProblem('')
    } catch (error) {
      if (!(error instanceof LogoProblem)) throw error
      setProblem(error.message)
    }
  })
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    // The same file can be chosen again after a failure.
    event.target.value = ''
    if (file !== undefined) read.run(file)
  }
  return (
    <div className="grid gap-2">
      <p className="text-sm font-medium">Logo</p>
      <div className="flex flex-wrap items-center gap-2">
        {logo === null ? null : (
          <span className="grid size-12 place-items-center rounded-xl border border-line bg-white p-1.5">
            <img src={logo} alt="The logo" className="max-h-full max-w-full" />
          </span>
        )}
        <input
          ref={input}
          type="file"
          accept="image/*"
          aria-label="Logo file"
          tabIndex={-1}
          onChange={choose}
          className="hidden"
        />
        <Button size="small" busy={read.busy} onClick={() => input.current?.click()}>
          <Upload size={16} aria-hidden />
          {logo === null ? 'Add a logo' : 'Replace'}
        </Button>
        {logo === null ? null : (
          <Button size="small" onClick={() => onChange(null)}>
            <Trash2 size={16} aria-hidden />
            Remove
          </Button>
        )}
      </div>
      <output className={problem === '' ? 'sr-only' : 'text-sm text-danger'}>{problem}</output>
    </div>
  )
}
