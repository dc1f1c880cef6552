import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Tool } from '../tool.ts'
import { editBioPage, getBioPage } from './bio.ts'
import { releaseAlias, renameLink } from './link-codes.ts'
import { checkDomainTool, listDomains } from './domains.ts'
import { findLinks } from './find-links.ts'
import { changeLink, createLinkTool, deleteLink, disableLink, getLink } from './links.ts'
import { getLinkRules, saveLinkRules, simulateVisitTool } from './rules.ts'
import { checkImport, confirmImport } from './imports.ts'
import { listLeads } from './leads.ts'
import { moveLinks } from './move-links.ts'
import { createPlacements, listPlacements } from './placements.ts'
import {
  invitePerson,
  listPeople,
  removeMember,
  setMemberRole,
  withdrawInvitation,
} from './people.ts'
import { attachPopup, draftPopup, findPopups } from './popups.ts'
import { readClickReport } from './reports.ts'

export const allTools: readonly Tool[] = [
  findLinks,
  getLink,
  createLinkTool,
  changeLink,
  disableLink,
  renameLink,
  releaseAlias,
  deleteLink,
  moveLinks,
  listPlacements,
  createPlacements,
  checkImport,
  confirmImport,
  getLinkRules,
  saveLinkRules,
  simulateVisitTool,
  listDomains,
  checkDomainTool,
  readClickReport,
  findPopups,
  draftPopup,
  attachPopup,
  listLeads,
  getBioPage,
  editBioPage,
  listPeople,
  invitePerson,
  withdrawInvitation,
  setMemberRole,
  removeMember,
]

interface Message {
  method?: unknown
  params?: { name?: unknown } | null
}

/** The scopes of the tool that a message calls; none for every other message. */
export function scopesOfTool(message: object): readonly OAuthScope[] {
  const { method, params } = message as Message
  if (method !== 'tools/call') return []
  return allTools.find(({ name }) => name === params?.name)?.scopes ?? []
}
