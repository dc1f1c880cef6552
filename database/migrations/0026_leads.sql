-- Email addresses that visitors give in popups (docs/audience.md).

alter table app.popups
  -- Off for the popups that are there; a new one keeps addresses.
  add keep_emails boolean not null default false,
  add consent_text text not null default 'We may email you; you can unsubscribe anytime.',
  -- Counts changes of the content, so that a page that a visitor opened earlier names the text that it shows.
  add version integer not null default 1,
  -- The last 20 texts before the present one: [{"until": version, "text": …}]
  add former_consents jsonb not null default '[]',
  add constraint popups_consent_text_check check (length(consent_text) <= 500),
  add constraint popups_consent_text_visible check (app.is_visible(consent_text)),
  drop constraint popups_email_over_https,
  -- An address travels over https, or stays here.
  add constraint popups_email_over_https check (not collect_email or starts_with(coalesce(cta_url, ''), 'https://')
    or (keep_emails and coalesce(cta_url, '') = ''));
alter table app.popups alter keep_emails set default true;
grant select (keep_emails, consent_text, version) on app.popups to anon;
grant insert (keep_emails, consent_text), update (keep_emails, consent_text) on app.popups to authenticated;

-- One row per account that has received an address: settings, and the totals of its leads.
create table app.audiences (
  user_id uuid primary key references auth.users on delete cascade,
  retention_days integer check (retention_days between 1 and 3650),
  double_opt_in boolean not null default false,
  leads integer not null default 0,
  bytes bigint not null default 0,
  -- Addresses that found no room.
  left_out bigint not null default 0,
  left_out_at timestamptz
);

create table app.leads (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app.audiences on delete cascade,
  popup_id uuid references app.popups on delete set null,
  popup_version integer not null,
  -- As it was typed.
  email text not null,
  -- The text that stood under the field.
  consent_text text not null,
  -- The link or bio page that showed the popup, when it was the owner's.
  code text,
  source text,
  tags text[] not null default '{}'
    constraint leads_tags check (cardinality(tags) <= 20 and octet_length(array_to_string(tags, '')) <= 1000),
  state text not null,
  -- In the unsubscribe link: 244 random bits. Not a hash, because owners put the link in their emails.
  unsubscribe_token text not null unique,
  -- Of the token in the mail that asks for a confirmation; null when none is open.
  confirm_hash bytea,
  confirmed_at timestamptz,
  unsubscribed_at timestamptz,
  created_at timestamptz not null default now(),
  constraint leads_row check (length(email) between 3 and 254 and length(consent_text) <= 500 and length(code) <= 50
    and length(source) <= 100 and state in ('pending', 'confirmed', 'unsubscribed'))
);
create unique index leads_once on app.leads (popup_id, lower(email)) where popup_id is not null;
create index leads_newest on app.leads (user_id, created_at desc, id desc);
create index leads_address on app.leads (user_id, lower(email));
create unique index leads_confirm on app.leads (confirm_hash) where confirm_hash is not null;
create index leads_pending on app.leads (created_at) where state = 'pending';

alter table app.audiences enable row level security, force row level security;
create policy owner_all on app.audiences to hoplet_owner using (true) with check (true);
alter table app.leads enable row level security, force row level security;
create policy owner_all on app.leads to hoplet_owner using (true) with check (true);

grant select (id, user_id, popup_id, popup_version, email, consent_text, code, source, tags, state, unsubscribe_token,
    confirmed_at, unsubscribed_at, created_at), delete, update (tags)
  on app.leads to authenticated, service_role;

alter table app.webhooks
  drop constraint webhooks_events,
  add constraint webhooks_events check (cardinality(events) between 1 and 7
    and events <@ '{link.created,link.updated,link.deleted,clicks.recorded,popup.email_given,lead.created,plan.changed}');
