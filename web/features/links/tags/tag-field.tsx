import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { tagsQuery } from '#web/api/tags-query.ts'
import { TagInput } from '#web/tags/tag-input.tsx'

type TagFieldProps = Omit<ComponentProps<typeof TagInput>, 'known'> & { userId: string }

/** Tags of a link; those of the account are suggested. */
export function TagField({ userId, ...field }: TagFieldProps) {
  const known = useQuery(tagsQuery(userId)).data ?? []
  return <TagInput {...field} known={known} />
}
