-- The links of a bio page count their clicks as short links do, and show them to the same people.

alter table app.click_events drop constraint click_events_kind_check;
alter table app.click_events add constraint click_events_kind_check check (kind in ('link', 'bio', 'bio_link'));

grant update (click_count) on app.bio_links to hoplet_visits;
create policy visits_count on app.bio_links for update to hoplet_visits using (true) with check (true);

-- The view runs with the caller's rights: the column and the function must be theirs to read, the view decides the rest.
grant select (click_count) on app.bio_links to anon, authenticated;
grant execute on function app.owns_bio_page(uuid) to anon, service_role;
create or replace view api.bio_links with (security_invoker = true) as
  select id, bio_page_id, title, url, link_order,
    case when (select app.sees_counts())
        and (app.owns_bio_page(bio_page_id) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count
  from app.bio_links;
