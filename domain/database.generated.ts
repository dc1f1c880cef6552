// Generated from the migrations by `npm run fix`; `npm run check` fails when it differs.

/** The rows of each relation of the schema `api`, as the table door answers with them. */
export type ApiRows = {
  affiliate_codes: {
    user_id: string
    code: string
    total_referrals: number
    total_earnings: number
  }
  bio_links: {
    id: string
    bio_page_id: string
    title: string
    url: string
    link_order: number
    click_count: number | null
    is_visible: boolean
    kind: 'link' | 'header' | 'divider'
    image_url: string | null
    starts_at: string | null
    ends_at: string | null
  }
  bio_pages: {
    id: string
    user_id: string
    slug: string
    title: string
    description: string | null
    popup_id: string | null
    theme_primary: string
    theme_background: string
    theme_text: string
    visit_count: number | null
    version: string | null
    look: 'plain' | 'editorial' | 'bubble' | 'terminal' | 'poster' | 'studio' | 'notebook' | 'gallery' | 'sunrise'
    avatar_url: string | null
    domain: string | null
  }
  bio_social_links: {
    id: string
    bio_page_id: string
    platform: string
    url: string
    display_order: number
  }
  commissions: {
    id: string
    affiliate_user_id: string
    amount: number
    tier: 1 | 2
    status: 'pending' | 'paid' | 'held' | 'canceled'
    created_at: string
  }
  day_notes: {
    id: string
    user_id: string
    day: string
    text: string
    created_at: string
  }
  domains: {
    id: number
    user_id: string
    host: string
    is_verified: boolean
    has_certificate: boolean
    certificate_ends_at: string | null
    is_probed: boolean
    problem: string | null
    records: unknown
    root_url: string | null
    missing_url: string | null
    is_default: boolean
    link_count: number
    checked_at: string | null
    created_at: string
  }
  invitations: {
    id: string
    account_id: string
    role: 'owner' | 'editor' | 'viewer'
    email: string | null
    created_at: string
    expires_at: string
    created_by: string | null
    used_by: string | null
  }
  leads: {
    id: string
    user_id: string
    popup_id: string | null
    popup_version: number
    email: string
    consent_text: string
    code: string | null
    source: string | null
    tags: string[]
    state: string
    unsubscribe_token: string
    confirmed_at: string | null
    unsubscribed_at: string | null
    created_at: string
  }
  link_expectations: {
    id: string
    link_id: string
    name: string
    visit: unknown
    expected_url: string
    created_at: string
  }
  link_moves: {
    id: string
    from_account: string | null
    from_name: string | null
    to_account: string | null
    to_name: string | null
    made_by: string | null
    created_at: string
    links: number
    state: 'arriving' | 'done'
    hits: number
    finished_at: string | null
  }
  members: {
    account_id: string
    person_id: string
    display_name: string | null
    email: string | null
    role: 'owner' | 'editor' | 'viewer'
    created_at: string
    last_seen_at: string | null
  }
  placements: {
    id: string
    link_id: string
    name: string
    mark: string
    utm_source: string
    utm_medium: string
    utm_campaign: string
    utm_term: string
    utm_content: string
    created_at: string
  }
  popups: {
    id: string
    user_id: string
    title: string
    description: string | null
    cta_text: string
    cta_url: string | null
    image_url: string | null
    background_color: string
    text_color: string
    button_color: string
    button_text_color: string
    position: 'center' | 'top' | 'bottom' | 'bottom-right' | 'bottom-left'
    trigger_delay: number
    trigger_delay_enabled: boolean
    collect_email: boolean
    size_preset: 'small' | 'medium' | 'large' | 'extra-large' | 'full-width' | 'compact' | 'tall'
    is_active: boolean
    border_radius: number
    font_style: 'casual' | 'professional' | 'modern' | 'elegant'
    shadow_style: 'none' | 'soft' | 'medium' | 'bold'
    created_at: string
    keep_emails: boolean
    consent_text: string
    version: number
    name: string | null
  }
  profiles: {
    id: string
    email: string | null
    display_name: string | null
    created_at: string
    time_zone: string | null
    label_settings: unknown
  }
  qr_looks: {
    id: string
    user_id: string
    name: string
    look: unknown
    is_default: boolean
    created_at: string
  }
  shared_reports: {
    id: string
    user_id: string
    link_id: string | null
    tag_id: string | null
    title: string | null
    shown_name: string | null
    token: string
    enabled: boolean
    has_password: boolean
    expires_at: string | null
    created_at: string
  }
  shortened_urls: {
    id: string
    user_id: string
    short_code: string
    original_url: string
    show_popup: boolean
    popup_id: string | null
    click_count: number | null
    created_at: string
    first_click_at: string | null
    last_click_at: string | null
    is_blocked: boolean | null
    external_id: string | null
    is_disabled: boolean
    title: string | null
    note: string | null
    tags: string[]
    archived_at: string | null
    starts_at: string | null
    ends_at: string | null
    max_clicks: number | null
    fallback_url: string | null
    password: string | null
    has_password: boolean
    forward_query: string
    forward_overrides: boolean
    redirect_status: 301 | 302 | 307 | 308
    preview_title: string | null
    preview_description: string | null
    preview_image_url: string | null
    show_preview_page: boolean
    rules_version: number
    aliases: string[] | null
    former_url: string | null
    clicks_before: number | null
    destination_finding: string | null
    domain: string | null
  }
  spaces: {
    id: string
    slug: string
    name: string
    role: string
  }
  tags: {
    id: string
    user_id: string
    name: string
    color: string
    created_at: string
  }
  user_plans: {
    user_id: string
    plan_type: 'free' | 'pro' | 'business'
  }
  user_roles: {
    user_id: string
    role: 'user' | 'admin'
  }
  user_usage: {
    user_id: string
    total_custom_codes: number
    total_shortened_urls: number
    daily_custom_codes: number
    daily_shortened_urls: number
    daily_qr_codes: number
  }
  utm_templates: {
    id: string
    user_id: string
    name: string
    utm_source: string
    utm_medium: string
    utm_campaign: string
    utm_term: string
    utm_content: string
    created_at: string
  }
}

/** The columns that visitors may read. */
export const anonColumns = {
  bio_links: ['id', 'bio_page_id', 'title', 'url', 'link_order', 'click_count', 'is_visible', 'kind',
    'image_url', 'starts_at', 'ends_at'],
  bio_pages: ['id', 'slug', 'title', 'description', 'popup_id', 'theme_primary', 'theme_background',
    'theme_text', 'visit_count', 'look', 'avatar_url', 'domain'],
  bio_social_links: ['id', 'bio_page_id', 'platform', 'url', 'display_order'],
  popups: ['id', 'title', 'description', 'cta_text', 'cta_url', 'image_url', 'background_color', 'text_color',
    'button_color', 'button_text_color', 'position', 'trigger_delay', 'trigger_delay_enabled', 'collect_email',
    'size_preset', 'is_active', 'border_radius', 'font_style', 'shadow_style', 'created_at', 'keep_emails',
    'consent_text', 'version'],
  shortened_urls: ['id', 'short_code', 'original_url', 'popup_id', 'click_count', 'domain'],
} as const

type Written<R extends keyof ApiRows, Need extends keyof ApiRows[R], May extends keyof ApiRows[R]> =
  Pick<ApiRows[R], Need> & Partial<Pick<ApiRows[R], May>>

/** The columns that a signed-in person may insert: those that each row needs, and the others. */
export type ApiInserts = {
  affiliate_codes: Written<'affiliate_codes', 'code', 'user_id'>
  bio_links: Written<'bio_links', 'bio_page_id', 'title' | 'url' | 'link_order' | 'is_visible' | 'kind' |
    'image_url' | 'starts_at' | 'ends_at'>
  bio_pages: Written<'bio_pages', 'slug' | 'title', 'user_id' | 'description' | 'popup_id' | 'theme_primary' |
    'theme_background' | 'theme_text' | 'look' | 'avatar_url' | 'domain'>
  bio_social_links: Written<'bio_social_links', 'bio_page_id' | 'platform' | 'url', 'display_order'>
  day_notes: Written<'day_notes', 'day' | 'text', 'user_id'>
  domains: Written<'domains', 'host', 'user_id' | 'root_url' | 'missing_url' | 'is_default'>
  link_expectations: Written<'link_expectations', 'link_id' | 'name' | 'visit' | 'expected_url', never>
  popups: Written<'popups', 'title', 'user_id' | 'description' | 'cta_text' | 'cta_url' | 'image_url' |
    'background_color' | 'text_color' | 'button_color' | 'button_text_color' | 'position' | 'trigger_delay' |
    'trigger_delay_enabled' | 'collect_email' | 'size_preset' | 'is_active' | 'border_radius' | 'font_style' |
    'shadow_style' | 'keep_emails' | 'consent_text' | 'name'>
  qr_looks: Written<'qr_looks', 'name' | 'look', 'user_id' | 'is_default'>
  shared_reports: Written<'shared_reports', never, 'link_id' | 'tag_id' | 'title' | 'shown_name' | 'enabled' |
    'expires_at'> & { password?: string | null }
  shortened_urls: Written<'shortened_urls', 'original_url', 'user_id' | 'short_code' | 'show_popup' | 'popup_id' |
    'external_id' | 'is_disabled' | 'title' | 'note' | 'tags' | 'archived_at' | 'starts_at' | 'ends_at' |
    'max_clicks' | 'fallback_url' | 'password' | 'forward_query' | 'forward_overrides' | 'redirect_status' |
    'preview_title' | 'preview_description' | 'preview_image_url' | 'show_preview_page' | 'former_url' | 'domain'>
  tags: Written<'tags', 'name', 'user_id' | 'color'>
  user_roles: Written<'user_roles', 'user_id', 'role'>
  utm_templates: Written<'utm_templates', 'name', 'user_id' | 'utm_source' | 'utm_medium' | 'utm_campaign' |
    'utm_term' | 'utm_content'>
}

/** The columns that a signed-in person may update. */
export type ApiUpdates = {
  bio_links: Written<'bio_links', never, 'bio_page_id' | 'title' | 'url' | 'link_order' | 'is_visible' | 'kind' |
    'image_url' | 'starts_at' | 'ends_at'>
  bio_pages: Written<'bio_pages', never, 'user_id' | 'slug' | 'title' | 'description' | 'popup_id' |
    'theme_primary' | 'theme_background' | 'theme_text' | 'look' | 'avatar_url'>
  bio_social_links: Written<'bio_social_links', never, 'bio_page_id' | 'platform' | 'url' | 'display_order'>
  day_notes: Written<'day_notes', never, 'day' | 'text'>
  domains: Written<'domains', never, 'root_url' | 'missing_url' | 'is_default'>
  leads: Written<'leads', never, 'tags'>
  link_expectations: Written<'link_expectations', never, 'name' | 'visit' | 'expected_url'>
  placements: Written<'placements', never, 'name' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' |
    'utm_content'>
  popups: Written<'popups', never, 'user_id' | 'title' | 'description' | 'cta_text' | 'cta_url' | 'image_url' |
    'background_color' | 'text_color' | 'button_color' | 'button_text_color' | 'position' | 'trigger_delay' |
    'trigger_delay_enabled' | 'collect_email' | 'size_preset' | 'is_active' | 'border_radius' | 'font_style' |
    'shadow_style' | 'keep_emails' | 'consent_text' | 'name'>
  profiles: Written<'profiles', never, 'display_name' | 'label_settings'>
  qr_looks: Written<'qr_looks', never, 'user_id' | 'name' | 'look' | 'is_default'>
  shared_reports: Written<'shared_reports', never, 'title' | 'shown_name' | 'enabled' |
    'expires_at'> & { password?: string | null }
  shortened_urls: Written<'shortened_urls', never, 'user_id' | 'original_url' | 'show_popup' | 'popup_id' |
    'external_id' | 'is_disabled' | 'title' | 'note' | 'tags' | 'archived_at' | 'starts_at' | 'ends_at' |
    'max_clicks' | 'fallback_url' | 'password' | 'forward_query' | 'forward_overrides' | 'redirect_status' |
    'preview_title' | 'preview_description' | 'preview_image_url' | 'show_preview_page' | 'former_url'>
  tags: Written<'tags', never, 'user_id' | 'name' | 'color'>
  user_plans: Written<'user_plans', never, 'plan_type'>
  user_roles: Written<'user_roles', never, 'user_id' | 'role'>
  utm_templates: Written<'utm_templates', never, 'user_id' | 'name' | 'utm_source' | 'utm_medium' |
    'utm_campaign' | 'utm_term' | 'utm_content'>
}

type Fn<Args, Returns> = { Args: Args; Returns: Returns }

/** The functions that a signed-in person may call; a JSON value is `unknown`. */
export type ApiFunctions = {
  accept_invitation: Fn<{ _token: string }, unknown>
  admin_activity: Fn<Record<never, never>, unknown>
  admin_audit: Fn<{ _before_id?: number | null; _limit?: number | null; _search?: string | null }, unknown>
  admin_block: Fn<{ _kind: string; _value: string; _reason?: string | null; _hide_published?: boolean | null },
    undefined>
  admin_blocks: Fn<Record<never, never>, unknown>
  admin_decide_held: Fn<{ _id: string; _release: boolean }, undefined>
  admin_decide_report: Fn<{ _id: string; _uphold: boolean }, undefined>
  admin_delete_user: Fn<{ _user_id: string }, undefined>
  admin_find_links: Fn<{ _by: string; _value: string; _before_created_at?: string | null;
    _before_id?: string | null; _limit?: number | null }, unknown>
  admin_held_commissions: Fn<Record<never, never>, unknown>
  admin_latest_links: Fn<Record<never, never>, unknown>
  admin_make_owner: Fn<{ _space: string; _person: string }, undefined>
  admin_make_payout: Fn<{ _affiliate: string; _reference?: string | null; _expected_cents?: number | null }, unknown>
  admin_payouts: Fn<{ _limit?: number | null; _before_created_at?: string | null; _before_id?: string | null }, unknown>
  admin_payouts_due: Fn<Record<never, never>, unknown>
  admin_reports: Fn<{ _state?: string | null; _before_created_at?: string | null; _before_id?: string | null;
    _limit?: number | null }, unknown>
  admin_unblock: Fn<{ _kind: string; _value: string }, undefined>
  admin_update_user: Fn<{ _user_id: string; _display_name?: string | null; _role?: string | null;
    _plan_type?: string | null }, undefined>
  admin_users: Fn<{ _search?: string | null; _sort?: string | null; _descending?: boolean | null;
    _limit?: number | null; _offset?: number | null }, unknown>
  affiliate_summary: Fn<Record<never, never>, unknown>
  audience: Fn<Record<never, never>, unknown>
  can_create_url: Fn<{ _user_id: string; _is_custom?: boolean | null }, unknown>
  check_destination: Fn<{ _link: string }, undefined>
  check_domain: Fn<{ _id: number }, unknown>
  click_hits: Fn<{ _scope: string; _from: string; _to: string; _id?: string | null; _filters?: unknown;
    _include?: string[] | null; _before?: string | null; _limit?: number | null }, unknown>
  click_integrity: Fn<{ _scope?: string | null; _id?: string | null }, unknown>
  click_mails: Fn<Record<never, never>, unknown>
  click_report: Fn<{ _scope: string; _by: string; _from: string; _to: string; _id?: string | null;
    _filters?: unknown; _include?: string[] | null; _limit?: number | null; _exact?: boolean | null }, unknown>
  click_trends: Fn<{ _kind: string; _ids: string[] }, unknown>
  commission_lines: Fn<{ _before_created_at?: string | null; _before_id?: string | null;
    _limit?: number | null }, unknown>
  count_visit: Fn<{ short_code: string }, boolean>
  create_invitation: Fn<{ _role: string; _email?: string | null }, unknown>
  create_links: Fn<{ _links: unknown; _all_or_nothing?: boolean | null }, unknown>
  create_placements: Fn<{ _link: string; _names: string[]; _utm?: unknown }, ApiRows['placements'][]>
  create_space: Fn<{ _slug: string; _name: string }, string>
  delete_space: Fn<{ _slug: string }, undefined>
  destination_check: Fn<{ _link: string }, unknown>
  erase_lead: Fn<{ _email: string }, number>
  free_code: Fn<{ _short_code: string; _domain?: string | null }, string>
  grant_import: Fn<{ _user: string; _links: number }, undefined>
  increment_bio_visit: Fn<{ slug: string }, undefined>
  increment_qr_usage: Fn<{ _user_id: string }, unknown>
  increment_url_usage: Fn<{ _user_id: string; _is_custom?: boolean | null }, undefined>
  leave_space: Fn<Record<never, never>, undefined>
  link_health: Fn<{ _finding?: string | null; _after?: string | null; _limit?: number | null }, unknown>
  link_history: Fn<{ _short_code: string }, unknown>
  link_kinds: Fn<Record<never, never>, unknown>
  link_rules: Fn<{ _link: string }, unknown>
  list_links: Fn<{ _search?: string | null; _sort?: string | null; _with_popup?: boolean | null;
    _never_clicked?: boolean | null; _blocked?: boolean | null; _after?: unknown; _limit?: number | null;
    _archived?: boolean | null; _tag?: string | null; _tags?: string[] | null; _off?: boolean | null;
    _domain?: string | null }, ApiRows['shortened_urls'][]>
  missed_codes: Fn<{ _from: string; _to: string; _limit?: number | null }, unknown>
  move_links: Fn<{ _links: unknown; _to_account: string }, unknown>
  needs_admin: Fn<Record<never, never>, boolean>
  popup_report: Fn<{ _id: string; _from: string; _to: string; _include?: string[] | null }, unknown>
  popup_uses: Fn<{ _popup_ids: unknown }, unknown>
  preview_move: Fn<{ _links: unknown; _to_account: string }, unknown>
  read_invitation: Fn<{ _token: string }, unknown>
  release_alias: Fn<{ _code: string }, undefined>
  remove_member: Fn<{ _person: string }, undefined>
  rename_link: Fn<{ _link: string; _code: string }, ApiRows['shortened_urls'][]>
  renew_invitation: Fn<{ _id: string }, unknown>
  revoke_invitation: Fn<{ _id: string }, undefined>
  save_audience: Fn<{ _retention_days?: number | null; _double_opt_in?: boolean | null }, undefined>
  save_bio_page: Fn<{ page: unknown; links?: unknown; social_links?: unknown }, unknown>
  save_link_rules: Fn<{ _link: string; _rules: unknown; _version: number }, number>
  search_links: Fn<{ _query: string; _before_created_at?: string | null; _before_id?: string | null;
    _limit?: number | null }, ApiRows['shortened_urls'][]>
  session_facts: Fn<Record<never, never>, unknown>
  set_click_mails: Fn<{ _milestones?: boolean | null; _weekly?: boolean | null; _health?: boolean | null }, undefined>
  set_member_role: Fn<{ _person: string; _role: string }, undefined>
  set_time_zone: Fn<{ _zone: string }, undefined>
  simulate_visit: Fn<{ _link: string; _visit: unknown }, unknown>
  split_report: Fn<{ _link: string; _from: string; _to: string }, unknown>
  suggest_codes: Fn<{ _url: string; _title?: string | null; _domain?: string | null }, unknown>
  tag_leads: Fn<{ _ids: unknown; _add?: unknown; _remove?: unknown }, number>
  track_referral: Fn<{ _referred_user_id: string; _referrer_code: string }, boolean>
  update_space: Fn<{ _slug?: string | null; _name?: string | null }, undefined>
}
