import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, ListChecks, Pencil, RefreshCw, Star, StarOff, Trash2 } from 'lucide-react'
import { domainNotices } from '#domain/texts/domain-texts.ts'
import type { AccountDomain } from '#web/api/database.ts'
import { shownHost } from '#web/shown-link.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { type DomainQuestion, domainCalls, domainRefusal, domainsKey } from './domains-query.ts'
import type { DomainCheck } from './use-check-domain.ts'

interface DomainMenuProps {
  userId: string
  domain: AccountDomain
  /** Whether nothing is left to do: its records are shown on demand. */
  isDone: boolean
  isShown: boolean
  check: DomainCheck
  onShow: () => void
  onAsk: (question: DomainQuestion) => void
}

/** Actions of an owner on a domain. */
export function DomainMenu(props: DomainMenuProps) {
  const { userId, domain, isDone, isShown, check, onShow, onAsk } = props
  const client = useQueryClient()
  const setDefault = useSingleMutation({
    mutationFn: (isDefault: boolean) => domainCalls.setDefault(domain.id, isDefault),
    onSuccess: async () => {
      notifySuccess(domainNotices.saved)
      await client.invalidateQueries({ queryKey: domainsKey(userId) })
    },
    onError: (error) =>
      notifyError({ ...domainNotices.notSaved, description: domainRefusal(error) }),
  })
  return (
    <Popover
      label={`Actions for ${shownHost(domain.host)}`}
      icon={<Ellipsis size={18} aria-hidden />}
      buttonClass="inline-grid size-9 place-items-center rounded-xl border border-line text-ink-soft hover:border-edge hover:text-ink pointer-coarse:size-11"
      className="w-60"
    >
      {domain.is_default ? (
        <MenuItem Icon={StarOff} name="End default" onClick={() => setDefault.mutate(false)} />
      ) : (
        <MenuItem Icon={Star} name="Make default" onClick={() => setDefault.mutate(true)} />
      )}
      <MenuItem
        Icon={Pencil}
        name="Edit addresses"
        onClick={() => onAsk({ kind: 'targets', domain })}
      />
      <MenuItem Icon={RefreshCw} name="Check now" onClick={() => check.mutate()} />
      {isDone ? (
        <MenuItem
          Icon={ListChecks}
          name={isShown ? 'Hide DNS records' : 'Show DNS records'}
          onClick={onShow}
        />
      ) : null}
      <MenuItem
        Icon={Trash2}
        name="Remove"
        className="hover:bg-danger-wash! hover:text-danger!"
        onClick={() => onAsk({ kind: 'remove', domain })}
      />
    </Popover>
  )
}
