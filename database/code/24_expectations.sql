-- Expectations of links. A trigger notes each changed link that has some in the transaction; the table door reads the
-- note before it commits (server/visits/rules/expectations.ts).

create function app.owns_link(link uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.shortened_urls s where s.id = link and s.user_id = app.current_user_id())
$$;

create function app.note_changed_link() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  changed uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  noted text := coalesce(current_setting('hoplet.changed_links', true), '');
begin
  if strpos(noted, changed::text) = 0
      and exists (select from app.link_expectations e where e.link_id = changed) then
    perform set_config('hoplet.changed_links', ltrim(noted || ',' || changed, ','), true);
  end if;
  return null;
end $$;
create trigger note_change after update on app.shortened_urls
  -- Not of a link that stays off: it reaches nothing anyway. And not of changes that no visitor meets: the expectations of
  -- a link that has ended are broken by now, and must not refuse a note.
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*
    and not (old.is_disabled and new.is_disabled)
    and to_jsonb(old) - '{title,note,tags,archived_at,external_id}'::text[]
      is distinct from to_jsonb(new) - '{title,note,tags,archived_at,external_id}'::text[])
  execute function app.note_changed_link('id');
create trigger note_change after insert or update on app.link_expectations
  for each row execute function app.note_changed_link('link_id');

create trigger trim before insert or update of name on app.link_expectations
  for each row execute function app.trim_texts('name');

create function app.limit_link_expectations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- The row of the link is the lock, so that two inserts at once do not both find room.
  perform 1 from app.shortened_urls s where s.id = new.link_id for no key update;
  if (select count(*) > 20 from app.link_expectations e where e.link_id = new.link_id) then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = 'A link has at most 20 expectations. Please delete some first.';
  end if;
  return null;
end $$;
create trigger limit_rows after insert on app.link_expectations
  for each row execute function app.limit_link_expectations();

create policy service_all on app.link_expectations to service_role using (true) with check (true);
create policy own_all on app.link_expectations to authenticated
  using (app.owns_link(link_id)) with check (app.owns_link(link_id));
create policy visits_read on app.link_expectations for select to hoplet_visits using (true);

create view api.link_expectations with (security_invoker = true) as
  select id, link_id, name, visit, expected_url, created_at from app.link_expectations;
comment on view api.link_expectations is
  'Saved simulations of your links, with the address that they must reach. A write that breaks one is refused.';
grant select, insert, update, delete on api.link_expectations to authenticated, service_role;
grant execute on function app.owns_link(uuid) to authenticated;
