-- The verdict 'program' (decision 0013): scripts, HTTP libraries, driven browsers and clients without a name. Its letter is g.

-- Not valid: the rows that are there satisfied less, and looking at each of them would hold up the clicks.
do $$
declare
  events regclass;
begin
  foreach events in array '{app.click_events,app.popup_events}'::regclass[] loop
    execute format('alter table %s drop constraint %I', events,
      (select c.conname from pg_constraint c where c.conrelid = events and c.contype = 'c' and pg_get_constraintdef(c.oid) ~ 'verdict'));
    execute format('alter table %s add check (verdict in (''c'', ''r'', ''o'', ''h'', ''f'', ''p'', ''b'', ''m'', ''g'')) not valid', events);
  end loop;
end $$;

-- Each function that lists the verdicts lists one more.
do $$
declare
  changed record;
begin
  for changed in
    select f.oid::regprocedure as name, d.before,
      replace(replace(replace(replace(replace(d.before, $q$'p', 'b', 'm')$q$, $q$'p', 'b', 'm', 'g')$q$), $q$''b'', ''m'')$q$, $q$''b'', ''m'', ''g'')$q$),
        $q$'b', 'm']$q$, $q$'b', 'm', 'g']$q$), $q$when 'm' then 'monitor'$q$, $q$when 'm' then 'monitor' when 'g' then 'program'$q$),
        'crawler,monitor}', 'crawler,monitor,program}') as after
    from pg_proc f cross join lateral (select pg_get_functiondef(f.oid) as before) d
    where f.pronamespace in ('app'::regnamespace, 'api'::regnamespace) and f.prokind = 'f'
  loop
    changed.after := replace(changed.after, '{a,b,c,f,h,l,m,o,p,q,r}', '{a,b,c,f,g,h,l,m,o,p,q,r}');
    if changed.after <> changed.before then execute changed.after; end if;
  end loop;
end $$;
