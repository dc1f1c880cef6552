-- The rule, and the variant of its split, that decided a hit: '' without one. Few, because their owner makes them.
alter table app.click_origins
  add rule text not null default '',
  add variant text not null default '';
do $$
declare
  earlier text := (select c.conname from pg_constraint c where c.conrelid = 'app.click_origins'::regclass and c.contype = 'u');
begin
  execute format('alter table app.click_origins drop constraint %I', earlier);
end $$;
alter table app.click_origins
  add unique (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content, rule, variant);
