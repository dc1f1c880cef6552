-- One row for each relation of a schema. A view that runs with its caller's rights needs the privilege on its own column
-- and on the table's column of the same name; an expression can be read. A view with triggers
-- that write needs no privilege on the table for that.
with relations as (
  select c.oid, c.relname, c.relkind,
    c.relkind = 'v' and coalesce(c.reloptions @> '{security_invoker=true}', false) as invoker,
    exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgtype & 64 <> 0) as is_written
  from pg_class c
  where c.relnamespace = (select oid from pg_namespace where nspname = $1::text) and c.relkind in ('r', 'p', 'v')
),
sources as (
  select r.oid as relation, d.refobjid as source
  from relations r join pg_rewrite w on w.ev_class = r.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
  where d.refobjid <> r.oid
  group by 1, 2
),
-- Facts that a view lacks about its columns are taken from the table's column of the same name, when the view shows it as it
-- is. A comment on the view's column says the rest: @notNull of an expression, @hasDefault of one that a trigger fills.
known as (
  select a.attrelid, a.attname::text as name, a.attnum, json_build_object(
      'type', format_type(a.atttypid, null),
      'nullable', coalesce(bool_or(not b.attnotnull), col_description(a.attrelid, a.attnum) not like '%@notNull%', true),
      'optional', coalesce(bool_or(b.atthasdef or b.attidentity <> '' or not b.attnotnull), true)
        or coalesce(col_description(a.attrelid, a.attnum) like '%@hasDefault%', false),
      'checks', coalesce((select json_agg(pg_get_constraintdef(k.oid) order by k.conname) from pg_constraint k
        where k.contype = 'c' and k.conrelid = max(b.attrelid) and k.conkey = array[max(b.attnum)]
          and count(b.attnum) = 1), '[]')) as facts
  from relations r left join sources s on s.relation = r.oid
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attribute b on b.attrelid = coalesce(s.source, r.oid) and b.attname = a.attname and b.attnum > 0
      and pg_column_is_updatable(r.oid, a.attnum, true)
  group by 1, a.attname, a.attnum
),
verbs as (
  select role, verb from unnest('{anon,authenticated,service_role}'::text[]) as role,
    unnest('{select,insert,update,delete}'::text[]) as verb
),
granted as (
  select r.oid, role, verb, array_agg(a.attname::text order by a.attnum) as columns
  from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped, verbs
  where case verb
      when 'delete' then has_table_privilege(role, r.oid, verb)
      when 'select' then has_column_privilege(role, r.oid, a.attnum, verb)
      else has_column_privilege(role, r.oid, a.attnum, verb) and pg_column_is_updatable(r.oid, a.attnum, true) end
    and (not r.invoker or (verb <> 'select' and r.is_written) or not exists (
      select from sources s left join pg_attribute b
        on b.attrelid = s.source and b.attname = a.attname and b.attnum > 0 and not b.attisdropped
      where s.relation = r.oid and not case
        when verb = 'delete' then has_table_privilege(role, s.source, verb)
        when b.attnum is null then has_any_column_privilege(role, s.source, verb)
        else has_column_privilege(role, s.source, b.attnum, verb) end))
  group by 1, 2, 3
)
select r.relname::text as name, format('%I.%I', $1::text, r.relname) as sql,
  array(select name from known where attrelid = r.oid order by attnum) as columns,
  array(select facts from known where attrelid = r.oid order by attnum) as facts,
  array(select b.attname::text from pg_index i join pg_attribute b on b.attrelid = i.indrelid and b.attnum = any (i.indkey)
      join pg_attribute a on a.attrelid = r.oid and a.attname = b.attname and not a.attisdropped
    where i.indisprimary and (i.indrelid = r.oid or i.indrelid in (select source from sources where relation = r.oid))
    order by array_position(i.indkey::int2[], b.attnum)) as key,
  coalesce(obj_description(r.oid, 'pg_class'), '') as description,
  (select coalesce(json_agg(json_build_object('role', g.role, 'verb', g.verb, 'columns', g.columns)), '[]')
    from granted g where g.oid = r.oid) as grants
from relations r order by 1
