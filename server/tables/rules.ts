import { accountDeletionMs } from '../postgres/begin.ts'
import { procedureShapes } from './openapi/procedure-shapes.ts'
import { readDomainTarget, readHostOfDomain } from './checks/read-domain.ts'
import { readLookOfQrCodes } from './checks/read-qr-look.ts'
import { readLinkRules, readSimulatedVisit } from './checks/read-link-rules.ts'
import type { SchemaRules } from './rule-types.ts'

/** The key of a name, which may be that of a domain. */
const code = /^(?:[1-9][0-9]{0,9}\/)?[a-z0-9_-]{1,64}$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const bioEntries = {
  read: 'bio:read',
  write: 'bio:write',
  writerColumns: ['id', 'bio_page_id'],
} as const

/** Time for a change of 100,000 links of one account. */
const ofAllLinksMs = 15_000

/** 10,000 ids of links. */
const moveBytes = 524_288

/** The rules of the schema `api`. */
export const apiRules: SchemaRules = {
  maxRows: 1_000,
  shapes: procedureShapes,
  relations: {
    profiles: {
      timeLimitMs: accountDeletionMs,
      apps: { read: 'profile', columns: { email: 'email' }, owner: { column: 'id' } },
      members: { read: 'links:read' },
    },
    user_plans: { members: { read: 'links:read' } },
    user_usage: { owner: { column: 'user_id' }, members: { read: 'links:read' } },
    spaces: { apps: { read: 'members:read' } },
    members: { owner: { column: 'account_id' }, apps: { read: 'members:read' } },
    link_moves: { apps: { read: 'links:read' } },
    invitations: {
      owner: { column: 'account_id' },
      apps: { read: 'members:read' },
      members: 'owners',
    },
    shortened_urls: {
      urls: {
        original_url: 'destination',
        fallback_url: 'optional-destination',
        preview_image_url: 'image',
      },
      passwords: ['password'],
      redirectStatus: 'redirect_status',
      changesLinks: true,
      owner: { column: 'user_id' },
      lookup: {
        by: 'short_code',
        key: code,
        guessable: true,
        present:
          'select app.shown_name(alias_of) as key from app.names where name = $1 and alias_of is not null',
      },
      visits: { column: 'click_count', by: 'short_code', function: 'count_visit' },
      claims: 'short_code',
      nameKey: 'short_code',
      isOfDomains: true,
      apps: {
        read: 'links:read',
        write: 'links:write',
        writerColumns: ['id', 'short_code', 'domain'],
      },
    },
    shared_reports: {
      owner: { column: 'user_id' },
      passwords: ['password'],
      // The token opens the analytics of the link or tag to everyone.
      apps: {
        read: 'links:read',
        write: 'links:write',
        writeNeeds: 'analytics:read',
        writerColumns: ['id', 'link_id', 'tag_id'],
        columns: { token: 'analytics:read' },
      },
      members: 'owners',
    },
    link_expectations: {
      owner: { column: 'link_id', through: 'shortened_urls' },
      reads: { visit: readSimulatedVisit },
      changesLinks: true,
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'link_id'] },
    },
    placements: {
      owner: { column: 'link_id', through: 'shortened_urls' },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'link_id', 'mark'] },
    },
    leads: {
      owner: { column: 'user_id' },
      keepsNoAnswers: true,
      apps: { read: 'leads:read', write: 'leads:write', writerColumns: ['id', 'tags'] },
      members: { read: 'leads:read', write: 'leads:write', ownersDelete: true },
    },
    tags: {
      owner: { column: 'user_id' },
      timeLimitMs: ofAllLinksMs,
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    domains: {
      owner: { column: 'user_id' },
      reads: {
        host: readHostOfDomain,
        root_url: readDomainTarget,
        missing_url: readDomainTarget,
      },
      apps: { read: 'links:read', write: 'domains:write', writerColumns: ['id', 'host'] },
      members: { read: 'links:read' },
    },
    day_notes: {
      owner: { column: 'user_id' },
      apps: { read: 'analytics:read' },
      members: { read: 'analytics:read', write: 'links:write', writerColumns: ['id'] },
    },
    utm_templates: {
      owner: { column: 'user_id' },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    qr_looks: {
      owner: { column: 'user_id' },
      reads: { look: readLookOfQrCodes },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    popups: {
      urls: { cta_url: 'optional-address', image_url: 'image' },
      owner: { column: 'user_id' },
      lookup: { by: 'id', key: uuid },
      timeLimitMs: ofAllLinksMs,
      apps: { read: 'popups:read', write: 'popups:write', writerColumns: ['id'] },
    },
    bio_pages: {
      owner: { column: 'user_id' },
      lookup: { by: 'slug', key: code },
      claims: 'slug',
      nameKey: 'slug',
      apps: { read: 'bio:read', write: 'bio:write', writerColumns: ['id', 'slug', 'domain'] },
    },
    bio_links: {
      urls: { url: 'optional-address' },
      owner: { column: 'bio_page_id', through: 'bio_pages' },
      lookup: { by: 'bio_page_id', key: uuid },
      apps: bioEntries,
    },
    bio_social_links: {
      urls: { url: 'social' },
      owner: { column: 'bio_page_id', through: 'bio_pages' },
      lookup: { by: 'bio_page_id', key: uuid },
      apps: bioEntries,
    },
    affiliate_codes: { owner: { column: 'user_id' } },
    commissions: { owner: { column: 'affiliate_user_id' } },
  },
  functions: {
    search_links: { apps: ['links:read'] },
    list_links: { apps: ['links:read'] },
    link_kinds: { apps: ['links:read'] },
    link_history: { members: ['links:read'] },
    missed_codes: { apps: ['links:read'] },
    link_health: { apps: ['links:read'] },
    destination_check: { apps: ['links:read'] },
    check_destination: { apps: ['links:write'] },
    check_domain: { apps: ['links:read'] },
    rename_link: { guesses: true, apps: ['links:write', 'links:read'], appsNeedAll: true },
    release_alias: { apps: ['links:write'] },
    tag_leads: { changes: '_ids', apps: ['leads:write', 'leads:read'], appsNeedAll: true },
    erase_lead: { apps: ['leads:write'], members: 'owners' },
    audience: { apps: ['leads:read'] },
    save_audience: { apps: ['leads:write'], members: 'owners' },
    popup_uses: { apps: ['popups:read'] },
    admin_delete_user: { timeLimitMs: accountDeletionMs },
    free_code: { guesses: true, members: ['links:write'] },
    suggest_codes: { guesses: true, members: ['links:write'] },
    can_create_url: { isOfDomains: true, apps: ['links:read', 'links:write'] },
    create_links: {
      bulk: { argument: '_links', relation: 'shortened_urls' },
      changesLinks: true,
      isOfDomains: true,
      maxBytes: 1_048_576,
      timeLimitMs: ofAllLinksMs,
      apps: ['links:write'],
    },
    create_placements: { maxBytes: 524_288, apps: ['links:write'] },
    link_rules: { apps: ['links:read'] },
    save_link_rules: {
      reads: { _rules: readLinkRules },
      changesLinks: true,
      maxBytes: 262_144,
      apps: ['links:write'],
    },
    simulate_visit: { reads: { _visit: readSimulatedVisit }, apps: ['links:read'] },
    count_visit: { visits: 'short_code', members: 'everyone' },
    increment_bio_visit: { visits: 'slug', members: 'everyone' },
    increment_url_usage: { members: ['links:write'] },
    increment_qr_usage: { members: ['links:read'] },
    session_facts: { members: 'everyone' },
    needs_admin: { members: 'everyone' },
    create_space: { members: 'everyone' },
    update_space: { apps: ['members:write'], members: 'owners' },
    delete_space: { timeLimitMs: accountDeletionMs, members: 'owners' },
    create_invitation: { keepsNoAnswers: true, apps: ['members:write'], members: 'owners' },
    renew_invitation: { keepsNoAnswers: true, apps: ['members:write'], members: 'owners' },
    revoke_invitation: { apps: ['members:write'], members: 'owners' },
    set_member_role: { apps: ['members:write'], members: 'owners' },
    remove_member: { apps: ['members:write'], members: 'owners' },
    read_invitation: { members: 'everyone' },
    accept_invitation: { members: 'everyone' },
    leave_space: { members: 'everyone' },
    preview_move: { maxBytes: moveBytes, apps: ['links:write'] },
    move_links: { maxBytes: moveBytes, timeLimitMs: ofAllLinksMs, apps: ['links:write'] },
    click_report: { apps: ['analytics:read'] },
    click_hits: { apps: ['analytics:read'] },
    click_integrity: { apps: ['analytics:read'] },
    click_trends: { apps: ['analytics:read'] },
    popup_report: { apps: ['analytics:read'] },
    split_report: { apps: ['analytics:read'] },
    save_bio_page: {
      claims: true,
      apps: ['bio:write', 'bio:read'],
      appsNeedAll: true,
      rowsOf: {
        links: { relation: 'bio_links', needed: ['title', 'url'] },
        social_links: { relation: 'bio_social_links', needed: ['platform', 'url'] },
      },
    },
  },
}
