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
  }
  shared_reports: {
    id: string
    link_id: string
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
  bio_links: [
    'id',
    'bio_page_id',
    'title',
    'url',
    'link_order',
    'click_count',
    'is_visible',
    'kind',
    'image_url',
    'starts_at',
    'ends_at',
  ],
  bio_pages: [
    'id',
    'slug',
    'title',
    'description',
    'popup_id',
    'theme_primary',
    'theme_background',
    'theme_text',
    'visit_count',
    'look',
    'avatar_url',
  ],
  bio_social_links: [
    'id',
    'bio_page_id',
    'platform',
    'url',
    'display_order',
  ],
  popups: [
    'id',
    'title',
    'description',
    'cta_text',
    'cta_url',
    'image_url',
    'background_color',
    'text_color',
    'button_color',
    'button_text_color',
    'position',
    'trigger_delay',
    'trigger_delay_enabled',
    'collect_email',
    'size_preset',
    'is_active',
    'border_radius',
    'font_style',
    'shadow_style',
    'created_at',
    'keep_emails',
    'consent_text',
    'version',
  ],
  shortened_urls: [
    'id',
    'short_code',
    'original_url',
    'popup_id',
    'click_count',
  ],
} as const

/** The columns that a signed-in person may insert. */
export type ApiInserts = {
  affiliate_codes: {
    user_id?: string
    code: string
  }
  bio_links: {
    bio_page_id: string
    title?: string
    url?: string
    link_order?: number
    is_visible?: boolean
    kind?: 'link' | 'header' | 'divider'
    image_url?: string | null
    starts_at?: string | null
    ends_at?: string | null
  }
  bio_pages: {
    user_id?: string
    slug: string
    title: string
    description?: string | null
    popup_id?: string | null
    theme_primary?: string
    theme_background?: string
    theme_text?: string
    look?: 'plain' | 'editorial' | 'bubble' | 'terminal' | 'poster' | 'studio' | 'notebook' | 'gallery' | 'sunrise'
    avatar_url?: string | null
  }
  bio_social_links: {
    bio_page_id: string
    platform: string
    url: string
    display_order?: number
  }
  day_notes: {
    user_id?: string
    day: string
    text: string
  }
  link_expectations: {
    link_id: string
    name: string
    visit: unknown
    expected_url: string
  }
  popups: {
    user_id?: string
    title: string
    description?: string | null
    cta_text?: string
    cta_url?: string | null
    image_url?: string | null
    background_color?: string
    text_color?: string
    button_color?: string
    button_text_color?: string
    position?: 'center' | 'top' | 'bottom' | 'bottom-right' | 'bottom-left'
    trigger_delay?: number
    trigger_delay_enabled?: boolean
    collect_email?: boolean
    size_preset?: 'small' | 'medium' | 'large' | 'extra-large' | 'full-width' | 'compact' | 'tall'
    is_active?: boolean
    border_radius?: number
    font_style?: 'casual' | 'professional' | 'modern' | 'elegant'
    shadow_style?: 'none' | 'soft' | 'medium' | 'bold'
    keep_emails?: boolean
    consent_text?: string
    name?: string | null
  }
  shared_reports: {
    link_id: string
    enabled?: boolean
    password?: string | null
    expires_at?: string | null
  }
  shortened_urls: {
    user_id?: string
    short_code?: string
    original_url: string
    show_popup?: boolean
    popup_id?: string | null
    external_id?: string | null
    title?: string | null
    note?: string | null
    tags?: string[]
    archived_at?: string | null
    starts_at?: string | null
    ends_at?: string | null
    max_clicks?: number | null
    fallback_url?: string | null
    password?: string | null
    forward_query?: string
    forward_overrides?: boolean
    redirect_status?: 301 | 302 | 307 | 308
    preview_title?: string | null
    preview_description?: string | null
    preview_image_url?: string | null
    show_preview_page?: boolean
  }
  tags: {
    user_id?: string
    name: string
    color?: string
  }
  user_roles: {
    user_id: string
    role?: 'user' | 'admin'
  }
  utm_templates: {
    user_id?: string
    name: string
    utm_source?: string
    utm_medium?: string
    utm_campaign?: string
    utm_term?: string
    utm_content?: string
  }
}

/** The columns that a signed-in person may update. */
export type ApiUpdates = {
  bio_links: {
    bio_page_id?: string
    title?: string
    url?: string
    link_order?: number
    is_visible?: boolean
    kind?: 'link' | 'header' | 'divider'
    image_url?: string | null
    starts_at?: string | null
    ends_at?: string | null
  }
  bio_pages: {
    user_id?: string
    slug?: string
    title?: string
    description?: string | null
    popup_id?: string | null
    theme_primary?: string
    theme_background?: string
    theme_text?: string
    look?: 'plain' | 'editorial' | 'bubble' | 'terminal' | 'poster' | 'studio' | 'notebook' | 'gallery' | 'sunrise'
    avatar_url?: string | null
  }
  bio_social_links: {
    bio_page_id?: string
    platform?: string
    url?: string
    display_order?: number
  }
  day_notes: {
    day?: string
    text?: string
  }
  leads: {
    tags?: string[]
  }
  link_expectations: {
    name?: string
    visit?: unknown
    expected_url?: string
  }
  popups: {
    user_id?: string
    title?: string
    description?: string | null
    cta_text?: string
    cta_url?: string | null
    image_url?: string | null
    background_color?: string
    text_color?: string
    button_color?: string
    button_text_color?: string
    position?: 'center' | 'top' | 'bottom' | 'bottom-right' | 'bottom-left'
    trigger_delay?: number
    trigger_delay_enabled?: boolean
    collect_email?: boolean
    size_preset?: 'small' | 'medium' | 'large' | 'extra-large' | 'full-width' | 'compact' | 'tall'
    is_active?: boolean
    border_radius?: number
    font_style?: 'casual' | 'professional' | 'modern' | 'elegant'
    shadow_style?: 'none' | 'soft' | 'medium' | 'bold'
    keep_emails?: boolean
    consent_text?: string
    name?: string | null
  }
  profiles: {
    display_name?: string | null
  }
  shared_reports: {
    enabled?: boolean
    password?: string | null
    expires_at?: string | null
  }
  shortened_urls: {
    user_id?: string
    original_url?: string
    show_popup?: boolean
    popup_id?: string | null
    external_id?: string | null
    is_disabled?: boolean
    title?: string | null
    note?: string | null
    tags?: string[]
    archived_at?: string | null
    starts_at?: string | null
    ends_at?: string | null
    max_clicks?: number | null
    fallback_url?: string | null
    password?: string | null
    forward_query?: string
    forward_overrides?: boolean
    redirect_status?: 301 | 302 | 307 | 308
    preview_title?: string | null
    preview_description?: string | null
    preview_image_url?: string | null
    show_preview_page?: boolean
  }
  tags: {
    user_id?: string
    name?: string
    color?: string
  }
  user_plans: {
    plan_type?: 'free' | 'pro' | 'business'
  }
  user_roles: {
    user_id?: string
    role?: 'user' | 'admin'
  }
  utm_templates: {
    user_id?: string
    name?: string
    utm_source?: string
    utm_medium?: string
    utm_campaign?: string
    utm_term?: string
    utm_content?: string
  }
}

/** The functions that a signed-in person may call; a JSON value is `unknown`. */
export type ApiFunctions = {
  admin_activity: {
    Args: Record<never, never>
    Returns: unknown
  }
  admin_audit: {
    Args: { _before_id?: number | null; _limit?: number | null; _search?: string | null }
    Returns: unknown
  }
  admin_block: {
    Args: { _kind: string; _value: string; _reason?: string | null }
    Returns: undefined
  }
  admin_blocks: {
    Args: Record<never, never>
    Returns: unknown
  }
  admin_decide_held: {
    Args: { _id: string; _release: boolean }
    Returns: undefined
  }
  admin_decide_report: {
    Args: { _id: string; _uphold: boolean }
    Returns: undefined
  }
  admin_delete_user: {
    Args: { _user_id: string }
    Returns: undefined
  }
  admin_find_links: {
    Args: { _by: string; _value: string; _before_created_at?: string | null; _before_id?: string | null; _limit?: number | null }
    Returns: unknown
  }
  admin_held_commissions: {
    Args: Record<never, never>
    Returns: unknown
  }
  admin_latest_links: {
    Args: Record<never, never>
    Returns: unknown
  }
  admin_make_payout: {
    Args: { _affiliate: string; _reference?: string | null; _expected_cents?: number | null }
    Returns: unknown
  }
  admin_payouts: {
    Args: { _limit?: number | null; _before_created_at?: string | null; _before_id?: string | null }
    Returns: unknown
  }
  admin_payouts_due: {
    Args: Record<never, never>
    Returns: unknown
  }
  admin_reports: {
    Args: { _state?: string | null; _before_created_at?: string | null; _before_id?: string | null; _limit?: number | null }
    Returns: unknown
  }
  admin_unblock: {
    Args: { _kind: string; _value: string }
    Returns: undefined
  }
  admin_update_user: {
    Args: { _user_id: string; _display_name?: string | null; _role?: string | null; _plan_type?: string | null }
    Returns: undefined
  }
  admin_users: {
    Args: { _search?: string | null; _sort?: string | null; _descending?: boolean | null; _limit?: number | null; _offset?: number | null }
    Returns: unknown
  }
  affiliate_summary: {
    Args: Record<never, never>
    Returns: unknown
  }
  audience: {
    Args: Record<never, never>
    Returns: unknown
  }
  can_create_url: {
    Args: { _user_id: string; _is_custom?: boolean | null }
    Returns: unknown
  }
  click_hits: {
    Args: { _scope: string; _from: string; _to: string; _id?: string | null; _filters?: unknown; _include?: string[] | null; _before?: string | null; _limit?: number | null }
    Returns: unknown
  }
  click_integrity: {
    Args: { _scope?: string | null; _id?: string | null }
    Returns: unknown
  }
  click_mails: {
    Args: Record<never, never>
    Returns: unknown
  }
  click_report: {
    Args: { _scope: string; _by: string; _from: string; _to: string; _id?: string | null; _filters?: unknown; _include?: string[] | null; _limit?: number | null; _exact?: boolean | null }
    Returns: unknown
  }
  click_trends: {
    Args: { _kind: string; _ids: string[] }
    Returns: unknown
  }
  commission_lines: {
    Args: { _before_created_at?: string | null; _before_id?: string | null; _limit?: number | null }
    Returns: unknown
  }
  count_visit: {
    Args: { short_code: string }
    Returns: boolean
  }
  create_links: {
    Args: { _links: unknown; _all_or_nothing?: boolean | null }
    Returns: unknown
  }
  erase_lead: {
    Args: { _email: string }
    Returns: number
  }
  free_code: {
    Args: { _short_code: string }
    Returns: string
  }
  increment_bio_visit: {
    Args: { slug: string }
    Returns: undefined
  }
  increment_qr_usage: {
    Args: { _user_id: string }
    Returns: unknown
  }
  increment_url_usage: {
    Args: { _user_id: string; _is_custom?: boolean | null }
    Returns: undefined
  }
  link_history: {
    Args: { _short_code: string }
    Returns: unknown
  }
  link_rules: {
    Args: { _link: string }
    Returns: unknown
  }
  list_links: {
    Args: { _search?: string | null; _sort?: string | null; _with_popup?: boolean | null; _never_clicked?: boolean | null; _blocked?: boolean | null; _after?: unknown; _limit?: number | null; _archived?: boolean | null; _tag?: string | null; _tags?: string[] | null }
    Returns: ApiRows['shortened_urls'][]
  }
  missed_codes: {
    Args: { _from: string; _to: string; _limit?: number | null }
    Returns: unknown
  }
  needs_admin: {
    Args: Record<never, never>
    Returns: boolean
  }
  popup_report: {
    Args: { _id: string; _from: string; _to: string; _include?: string[] | null }
    Returns: unknown
  }
  popup_uses: {
    Args: { _popup_ids: unknown }
    Returns: unknown
  }
  release_alias: {
    Args: { _code: string }
    Returns: undefined
  }
  rename_link: {
    Args: { _link: string; _code: string }
    Returns: ApiRows['shortened_urls'][]
  }
  save_audience: {
    Args: { _retention_days: number; _double_opt_in: boolean }
    Returns: undefined
  }
  save_bio_page: {
    Args: { page: unknown; links?: unknown; social_links?: unknown }
    Returns: unknown
  }
  save_link_rules: {
    Args: { _link: string; _rules: unknown; _version: number }
    Returns: number
  }
  search_links: {
    Args: { _query: string; _before_created_at?: string | null; _before_id?: string | null; _limit?: number | null }
    Returns: ApiRows['shortened_urls'][]
  }
  set_click_mails: {
    Args: { _milestones: boolean; _weekly: boolean }
    Returns: undefined
  }
  set_time_zone: {
    Args: { _zone: string }
    Returns: undefined
  }
  simulate_visit: {
    Args: { _link: string; _visit: unknown }
    Returns: unknown
  }
  split_report: {
    Args: { _link: string; _from: string; _to: string }
    Returns: unknown
  }
  tag_leads: {
    Args: { _ids: unknown; _add?: unknown; _remove?: unknown }
    Returns: number
  }
  track_referral: {
    Args: { _referred_user_id: string; _referrer_code: string }
    Returns: boolean
  }
}
