import { X } from 'lucide-react'
import { useRef } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import { ruleBounds } from '#domain/visits/rules.ts'
import { variantLetter } from '#domain/visits/rules-reader.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Field, FieldError } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import type { RuleProblems } from './rule-problems.ts'
import { type DraftRule, type DraftVariant, newVariant } from './rules-draft.ts'

const targets = [
  { value: 'to', label: 'One address' },
  { value: 'split', label: 'A/B split' },
  { value: 'app', label: 'App link' },
] as const

interface TargetFieldsProps {
  rule: DraftRule
  /** Index of the rule. */
  path: string
  problems: RuleProblems
  onChange: (change: Partial<DraftRule>) => void
}

/** Where a rule leads: an address, a split, or an app. */
export function TargetFields({ rule, path, problems, onChange }: TargetFieldsProps) {
  const { target, app } = rule
  return (
    <div className="grid min-w-0 gap-3">
      <SelectField
        label="Target"
        name={`${path}.target`}
        options={targets}
        value={target}
        onChange={(chosen) => onChange({ target: chosen })}
      />
      {target === 'to' ? (
        <AddressField
          label="Address"
          path={`${path}.to`}
          problems={problems}
          value={rule.to}
          onChange={(to) => onChange({ to })}
        />
      ) : target === 'split' ? (
        <SplitFields
          variants={rule.split}
          path={`${path}.split`}
          problems={problems}
          onChange={(split) => onChange({ split })}
        />
      ) : (
        <>
          {appFields.map(({ name, label }) => (
            <AddressField
              key={name}
              label={label}
              path={`${path}.app.${name}`}
              problems={problems}
              // A missing address of both systems is a problem of the app link as a whole.
              error={name === 'ios' ? problems.at(`${path}.app`) : undefined}
              value={app[name]}
              onChange={(address) => onChange({ app: { ...app, [name]: address } })}
            />
          ))}
        </>
      )}
    </div>
  )
}

const appFields = [
  { name: 'ios', label: 'iOS address' },
  { name: 'android', label: 'Android address' },
  { name: 'fallback', label: 'Fallback address' },
] as const

interface AddressFieldProps {
  label: string
  path: string
  problems: RuleProblems
  error?: string | undefined
  value: string
  onChange: (address: string) => void
}

function AddressField({ label, path, problems, error, value, onChange }: AddressFieldProps) {
  return (
    <Field
      label={label}
      kind="url"
      placeholder="https://example.com"
      data-path={path}
      error={problems.at(path) ?? error}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

interface SplitFieldsProps {
  variants: readonly DraftVariant[]
  path: string
  problems: RuleProblems
  /** The address of the first variant, which is the link's. */
  destination?: string
  onChange: (variants: readonly DraftVariant[]) => void
}

/** The variants of a split, with their weights. */
export function SplitFields(props: SplitFieldsProps) {
  const { variants, path, problems, destination, onChange } = props
  const sum = variants.reduce((total, { weight }) => total + Number(weight), 0)
  const problem = problems.at(path)
  const addVariant = useRef<HTMLButtonElement>(null)
  const change = (index: number, changed: Partial<DraftVariant>) =>
    onChange(variants.map((variant, i) => (i === index ? { ...variant, ...changed } : variant)))
  return (
    <div className="grid min-w-0 gap-3">
      {variants.map((variant, i) => {
        const letter = variantLetter(i)
        const own = i === 0 ? destination : undefined
        return (
          <fieldset key={variant.key} className="flex min-w-0 items-start gap-2">
            <legend className="sr-only">Variant {letter}</legend>
            <div className="min-w-0 grow">
              {own === undefined ? (
                <AddressField
                  label={`Address ${letter}`}
                  path={`${path}.${i}.to`}
                  problems={problems}
                  value={variant.to}
                  onChange={(to) => change(i, { to })}
                />
              ) : (
                <Field
                  label={`Address ${letter}`}
                  value={readableUrl(own)}
                  readOnly
                  hint="The destination of the link."
                  className="border-transparent! bg-sunken! text-ink-soft!"
                />
              )}
            </div>
            <div className="w-20 shrink-0">
              <Field
                label="Percent"
                inputMode="numeric"
                autoComplete="off"
                data-path={`${path}.${i}.weight`}
                error={problems.at(`${path}.${i}.weight`)}
                value={variant.weight}
                onChange={({ target }) => change(i, { weight: target.value })}
              />
            </div>
            {variants.length <= ruleBounds.minVariants || i === 0 ? (
              variants.length > ruleBounds.minVariants && <span className="w-10 shrink-0" />
            ) : (
              <IconButton
                label={`Remove variant ${letter}`}
                className="mt-6.5"
                onClick={() => {
                  onChange(variants.filter((_, j) => j !== i))
                  requestAnimationFrame(() => addVariant.current?.focus())
                }}
              >
                <X size={17} aria-hidden />
              </IconButton>
            )}
          </fieldset>
        )
      })}
      <div className="flex flex-wrap items-center justify-between gap-2">
        {variants.length >= ruleBounds.maxVariants ? null : (
          <Button
            ref={addVariant}
            size="small"
            onClick={() => onChange([...variants, newVariant(String(Math.max(0, 100 - sum)))])}
          >
            Add variant
          </Button>
        )}
        <p className="text-sm text-ink-faint">
          Sum: {Number.isNaN(sum) ? '–' : sum} of 100 percent
        </p>
      </div>
      <FieldError id={`${path}-problem`} error={problem} />
    </div>
  )
}
