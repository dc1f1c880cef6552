-- An account whose new sources of a day are used up learns it from its integrity report.
alter table app.click_incidents drop constraint click_incidents_kind_check,
  add check (kind in ('clock', 'replay', 'sources')),
  add column account integer,
  add check ((kind = 'sources') = (account is not null));

do $$
declare
  before text := pg_get_functiondef('api.click_integrity'::regproc);
  after text := replace(before, $q$where c.kind = 'clock' order$q$, $q$where c.kind = 'clock' or c.account = asked.account order$q$);
begin
  if after = before then raise exception 'click_integrity has changed'; end if;
  execute after;
end $$;
