-- The placement that a hit came from, as `{link}/{mark}`: '' without one. Only marks that a placement had when the hit was counted,
-- so their owner makes them.
alter table app.click_origins add placement text not null default '';
do $$
declare
  earlier text := (select c.conname from pg_constraint c where c.conrelid = 'app.click_origins'::regclass and c.contype = 'u');
begin
  execute format('alter table app.click_origins drop constraint %I', earlier);
end $$;
alter table app.click_origins
  add unique (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content, rule, variant, placement);
