-- Deliveries to ClickHouse have the verdict 'program' (0049) as well.
do $$
declare
  changed record;
  count integer := 0;
begin
  for changed in
    select replace(d.before, '{c,r,o,h,f,p,b,m}', '{c,r,o,h,f,p,b,m,g}') as after
    from pg_proc f cross join lateral (select pg_get_functiondef(f.oid) as before) d
    where f.pronamespace = 'app'::regnamespace and f.prokind = 'f' and d.before like '%{c,r,o,h,f,p,b,m}%'
  loop
    execute changed.after;
    count := count + 1;
  end loop;
  if count <> 1 then raise exception 'The function of deliveries has changed'; end if;
end $$;
