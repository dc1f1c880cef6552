-- Agents (docs/decisions/0065): tokens that are for /mcp alone, and what apps have changed for a person.

-- What the tokens of an app's session are for (RFC 8707); null for the doors.
alter table auth.sessions add column resource text check (length(resource) <= 2048);

-- What an app did for a person, written in the transaction of the change. The names are those of that time.
create table auth.app_changes (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users on delete cascade,
  -- Of the transaction.
  at timestamptz not null default now(),
  -- An app, or an API key.
  client_id uuid not null,
  app text not null check (length(app) <= 200),
  action text not null check (action in ('created', 'changed', 'deleted')),
  kind text not null check (kind in ('link', 'popup', 'bio page')),
  target uuid not null,
  name text not null check (length(name) <= 200)
);
create index app_changes_newest on auth.app_changes (user_id, id desc);
create index app_changes_at on auth.app_changes (at);
grant select, delete on auth.app_changes to hoplet_auth;

-- Keeps the last 1,000 of a person. It looks at each 50th, because a request may write a thousand.
create function app.note_app_change(_user uuid, _action text, _kind text, _target uuid, _name text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  client uuid := app.claims() ->> 'client_id';
  latest auth.app_changes;
  noted bigint;
begin
  -- A page is saved in several statements, which are one change.
  if _kind = 'bio page' then
    select * into latest from auth.app_changes c where c.user_id = _user order by c.id desc limit 1;
    if latest.target = _target and latest.at = now() then return; end if;
  end if;
  insert into auth.app_changes (user_id, client_id, app, action, kind, target, name)
    values (_user, client, coalesce((select o.client_name from auth.oauth_clients o where o.id = client),
        (select left('API key ' || k.name, 200) from auth.api_keys k where k.id = client), 'An app'), _action, _kind, _target,
      left(_name, 200))
    returning id into noted;
  if noted % 50 = 0 then
    delete from auth.app_changes c where c.id in (
      select d.id from auth.app_changes d where d.user_id = _user order by d.id desc offset 1000 for update skip locked);
  end if;
end $$;

-- Only what the app itself wrote: not what followed from it, and not a counter.
create function app.record_app_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  done constant text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'deleted' end;
  of_row jsonb;
begin
  if app.claims() ->> 'client_id' is null or pg_trigger_depth() > 1 then return null; end if;
  of_row := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  if tg_table_name in ('bio_links', 'bio_social_links') then
    perform app.note_app_change(p.user_id, 'changed', 'bio page', p.id, p.slug)
      from app.bio_pages p where p.id = (of_row ->> 'bio_page_id')::uuid;
    return null;
  end if;
  perform app.note_app_change((of_row ->> 'user_id')::uuid, done,
    case tg_table_name when 'shortened_urls' then 'link' when 'popups' then 'popup' else 'bio page' end, (of_row ->> 'id')::uuid,
    coalesce(of_row ->> 'short_code', of_row ->> 'slug', of_row ->> 'title'));
  return null;
end $$;

create trigger record_app_change after insert or delete on app.shortened_urls
  for each row execute function app.record_app_change();
create trigger record_app_update after update of original_url, external_id, show_popup, popup_id on app.shortened_urls
  for each row execute function app.record_app_change();
create trigger record_app_change after insert or delete on app.popups
  for each row execute function app.record_app_change();
create trigger record_app_update after update on app.popups
  for each row when (old.* is distinct from new.*) execute function app.record_app_change();
create trigger record_app_change after insert or delete on app.bio_pages
  for each row execute function app.record_app_change();
create trigger record_app_update after update of slug, title, description, popup_id, theme_primary, theme_background, theme_text, look, avatar_url
  on app.bio_pages for each row when (old.* is distinct from new.*) execute function app.record_app_change();
create trigger record_app_change after insert or delete or update of title, url, link_order, is_visible on app.bio_links
  for each row execute function app.record_app_change();
create trigger record_app_change after insert or delete or update on app.bio_social_links
  for each row execute function app.record_app_change();
