import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { reservedOnDomains } from '#domain/links/domain-paths.ts'
import { reservedWords } from '#domain/routes.ts'
import { customCodeProblem, normalizeShortCode } from '#domain/links/short-codes.ts'
import { notices, reservedCodeNotice } from '#domain/texts/texts.ts'
import { HostSelect } from '#web/domains/host-select.tsx'
import { NameAvailability } from '#web/forms/name-availability.tsx'
import { usePlan } from '#web/plan/plan.ts'
import { usageQuery } from '#web/plan/usage.ts'
import { shownHost } from '#web/shown-link.ts'
import { site } from '#web/site.ts'
import { Field } from '#web/ui/fields/field.tsx'

interface ShortCodeFieldProps {
  userId: string
  /** The host of the link; null is the server's own. */
  domain: string | null
  value: string
  onChange: (code: string) => void
  error: string | undefined
  /** Other hosts to choose from; the server's own is one too. */
  hosts?: readonly string[]
  onDomain?: (domain: string | null) => void
  /** Codes that the link has already. */
  own?: readonly string[]
  /** Below the field. */
  children?: ReactNode
}

/** The custom code of a new link, with whether it is free. */
export function ShortCodeField(props: ShortCodeFieldProps) {
  const { userId, domain, hosts = [], onDomain, value, onChange, error, own = [], children } = props
  const code = normalizeShortCode(value)
  const field = (
    <Field
      label="Short link"
      note={useCodesLeft(userId)}
      name="code"
      leading={
        hosts.length === 0 || onDomain === undefined ? (
          `${shownHost(domain)}/`
        ) : (
          <HostSelect value={domain} hosts={hosts} onChange={onDomain} />
        )
      }
      kind="verbatim"
      placeholder="random"
      value={value}
      onChange={(event) => onChange(event.target.value.toLowerCase())}
      error={error}
      hint={
        error === undefined && !own.includes(code) ? (
          <NameAvailability
            name={code}
            domain={domain}
            refusal={refusalOf(code, domain)}
            empty="Leave blank for a random code"
            onTake={onChange}
          />
        ) : undefined
      }
      className="font-mono"
    />
  )
  if (children === undefined) return field
  return (
    <div className="grid gap-1">
      {field}
      {children}
    </div>
  )
}

function refusalOf(code: string, domain: string | null): string | undefined {
  if (code === '') return undefined
  const problem = customCodeProblem(code)
  if (problem === 'characters') return notices.customCodeCharacters.description
  if (problem === 'length') return notices.customCodeLength.description
  const reserved = domain === null ? reservedWords : reservedOnDomains
  return reserved.includes(code) ? reservedCodeNotice.description : undefined
}

/** How many custom codes the plan still gives. */
function useCodesLeft(userId: string): string {
  const plan = usePlan(userId)
  const { data: used } = useQuery({ ...usageQuery(userId), enabled: site.hasPlans })
  if (!site.hasPlans || plan === undefined || plan.standing === 'unknown' || used === undefined)
    return 'optional'
  const { limits } = plan
  const isDaily = limits.limitType === 'daily'
  const left = limits.customCodes - (isDaily ? used.daily_custom_codes : used.total_custom_codes)
  const codes = Math.max(0, left) === 1 ? '1 custom code' : `${Math.max(0, left)} custom codes`
  return `${codes} left${isDaily ? ' today' : ''}`
}
