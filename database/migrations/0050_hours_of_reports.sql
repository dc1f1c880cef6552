-- Hours of reports begin at the full hour of the report's time zone, wherever the range begins.

create function app.first_hour(_from timestamptz, _zone text) returns timestamptz
language sql stable set search_path = ''
return date_trunc('hour', _from, _zone);

do $$
declare
  changed record;
begin
  for changed in
    select d.before, replace(replace(replace(d.before,
        'e.at, %L::timestamptz)'', _from)', 'e.at, %L::timestamptz)'', app.first_hour(_from, _zone))'),
        'lower(_span), _from)', 'lower(_span), app.first_hour(_from, _zone))'),
        'generate_series(_from, _to', 'generate_series(app.first_hour(_from, _zone), _to') as after
    from pg_proc f cross join lateral (select pg_get_functiondef(f.oid) as before) d
    where f.oid in ('app.count_hits'::regproc, 'app.visitor_buckets'::regproc, 'app.click_buckets'::regproc)
  loop
    if changed.after = changed.before then raise exception 'A function of reports has changed'; end if;
    execute changed.after;
  end loop;
end $$;
