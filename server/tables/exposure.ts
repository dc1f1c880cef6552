/**
 * What the table door shows of the schema `api`, and to whom. Row security and column grants say the same below it
 * (`database/migrations/`); this list adds what they cannot: which filter a public look-up needs, and which owner
 * column joins the query. A test compares it with the database's catalogue.
 */

export type ApiRole = 'anon' | 'authenticated' | 'service_role'

/** The columns a role may name for each verb; a verb that is not here is refused. */
export interface Access {
  select?: readonly string[]
  insert?: readonly string[]
  update?: readonly string[]
  delete?: true
}

/**
 * How an address is checked before it is stored: as a link's destination (not this server), as any http(s) address,
 * or as one where '' stands for none.
 */
export type UrlRule = 'destination' | 'address' | 'optional-address' | 'image' | 'social'

export interface Relation {
  /** Every column, in the view's order: what `*` is made of. */
  columns: readonly string[]
  /** The primary key: what an upsert without `on_conflict` compares, and what Location names. */
  key: string
  urls?: Readonly<Record<string, UrlRule>>
  /**
   * For people, `column = <their id>` joins every query beside row security; with `through`, the column must be in
   * that relation's own ids. Absent where admins read everybody's rows: there row security alone decides.
   */
  owner?: { column: string; through?: 'bio_pages' }
  /**
   * The public look-up: with the filter `by=eq.<key>` anybody may read `columns` of the rows with that key. Without
   * it, people who are not signed in get no rows.
   */
  lookup?: { by: string; key: RegExp; columns: readonly string[] }
  access: Readonly<Partial<Record<ApiRole, Access>>>
}

const code = /^[a-z0-9_-]{1,64}$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const link = {
  all: [
    'id',
    'user_id',
    'short_code',
    'original_url',
    'show_popup',
    'popup_id',
    'click_count',
    'created_at',
  ],
  stored: ['id', 'user_id', 'short_code', 'original_url', 'show_popup', 'popup_id', 'created_at'],
  public: ['id', 'short_code', 'original_url', 'popup_id', 'click_count'],
}

const popupContent = [
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
]

const pageContent = [
  'slug',
  'title',
  'description',
  'popup_id',
  'theme_primary',
  'theme_background',
  'theme_text',
]

/** Full access for the service itself, through policies; `written` are the columns that are no expressions. */
function service(columns: readonly string[], written: readonly string[]): Access {
  return { select: columns, insert: written, update: written, delete: true }
}

const relations: Readonly<Record<string, Relation>> = {
  profiles: {
    columns: ['id', 'email', 'display_name', 'created_at'],
    key: 'id',
    access: {
      authenticated: {
        select: ['id', 'email', 'display_name', 'created_at'],
        update: ['display_name'],
        delete: true,
      },
      service_role: service(
        ['id', 'email', 'display_name', 'created_at'],
        ['id', 'email', 'display_name', 'created_at'],
      ),
    },
  },
  user_plans: {
    columns: ['user_id', 'plan_type'],
    key: 'user_id',
    access: {
      authenticated: { select: ['user_id', 'plan_type'], update: ['plan_type'] },
      service_role: service(['user_id', 'plan_type'], ['user_id', 'plan_type']),
    },
  },
  user_roles: {
    columns: ['user_id', 'role'],
    key: 'user_id',
    access: {
      authenticated: {
        select: ['user_id', 'role'],
        insert: ['user_id', 'role'],
        update: ['user_id', 'role'],
      },
      service_role: service(['user_id', 'role'], ['user_id', 'role']),
    },
  },
  user_usage: {
    columns: [
      'user_id',
      'total_custom_codes',
      'total_shortened_urls',
      'daily_custom_codes',
      'daily_shortened_urls',
      'daily_qr_codes',
    ],
    key: 'user_id',
    owner: { column: 'user_id' },
    access: {
      authenticated: {
        select: [
          'user_id',
          'total_custom_codes',
          'total_shortened_urls',
          'daily_custom_codes',
          'daily_shortened_urls',
          'daily_qr_codes',
        ],
      },
      service_role: {
        select: [
          'user_id',
          'total_custom_codes',
          'total_shortened_urls',
          'daily_custom_codes',
          'daily_shortened_urls',
          'daily_qr_codes',
        ],
      },
    },
  },
  shortened_urls: {
    columns: link.all,
    key: 'id',
    urls: { original_url: 'destination' },
    owner: { column: 'user_id' },
    lookup: { by: 'short_code', key: code, columns: link.public },
    access: {
      anon: { select: link.public },
      authenticated: {
        select: link.all,
        insert: ['short_code', 'original_url', 'user_id'],
        update: ['original_url', 'show_popup', 'popup_id', 'user_id'],
        delete: true,
      },
      service_role: service(link.all, link.stored),
    },
  },
  popups: {
    columns: ['id', 'user_id', ...popupContent, 'created_at'],
    key: 'id',
    urls: { cta_url: 'optional-address', image_url: 'image' },
    owner: { column: 'user_id' },
    lookup: { by: 'id', key: uuid, columns: ['id', ...popupContent, 'created_at'] },
    access: {
      anon: { select: ['id', ...popupContent, 'created_at'] },
      authenticated: {
        select: ['id', 'user_id', ...popupContent, 'created_at'],
        insert: ['user_id', ...popupContent],
        update: ['user_id', ...popupContent],
        delete: true,
      },
      service_role: service(
        ['id', 'user_id', ...popupContent, 'created_at'],
        ['id', 'user_id', ...popupContent, 'created_at'],
      ),
    },
  },
  bio_pages: {
    columns: ['id', 'user_id', ...pageContent, 'visit_count', 'version'],
    key: 'id',
    owner: { column: 'user_id' },
    lookup: { by: 'slug', key: code, columns: ['id', ...pageContent, 'visit_count'] },
    access: {
      anon: { select: ['id', ...pageContent, 'visit_count'] },
      authenticated: {
        select: ['id', 'user_id', ...pageContent, 'visit_count', 'version'],
        insert: ['user_id', ...pageContent],
        update: ['user_id', ...pageContent],
        delete: true,
      },
      service_role: service(
        ['id', 'user_id', ...pageContent, 'visit_count', 'version'],
        ['id', 'user_id', ...pageContent],
      ),
    },
  },
  bio_links: bioList(['title', 'url', 'link_order'], 'address', ['click_count']),
  bio_social_links: bioList(['platform', 'url', 'display_order'], 'social'),
  affiliate_codes: {
    columns: ['user_id', 'code', 'total_referrals', 'total_earnings'],
    key: 'user_id',
    owner: { column: 'user_id' },
    access: {
      authenticated: {
        select: ['user_id', 'code', 'total_referrals', 'total_earnings'],
        insert: ['user_id', 'code'],
      },
      service_role: service(
        ['user_id', 'code', 'total_referrals', 'total_earnings'],
        ['user_id', 'code', 'total_referrals'],
      ),
    },
  },
  commissions: {
    columns: ['id', 'affiliate_user_id', 'amount', 'tier', 'status', 'created_at'],
    key: 'id',
    owner: { column: 'affiliate_user_id' },
    access: {
      authenticated: {
        select: ['id', 'affiliate_user_id', 'amount', 'tier', 'status', 'created_at'],
      },
      service_role: {
        select: ['id', 'affiliate_user_id', 'amount', 'tier', 'status', 'created_at'],
      },
    },
  },
}

/** The lists of a bio page: public with their page, written through the owner's page. */
/** `counts` are columns that nobody writes, and that are null for those who may not see them. */
function bioList(content: string[], url: UrlRule, counts: string[] = []): Relation {
  const written = ['id', 'bio_page_id', ...content]
  const columns = [...written, ...counts]
  return {
    columns,
    key: 'id',
    urls: { url },
    owner: { column: 'bio_page_id', through: 'bio_pages' },
    lookup: { by: 'bio_page_id', key: uuid, columns },
    access: {
      anon: { select: columns },
      authenticated: {
        select: columns,
        insert: ['bio_page_id', ...content],
        update: ['bio_page_id', ...content],
        delete: true,
      },
      service_role: service(columns, written),
    },
  }
}

/** Every exposed relation by name. */
export const exposed: ReadonlyMap<string, Relation> = new Map(Object.entries(relations))
