-- One row for each foreign key between two relations of a schema. A view has those of its tables, as far as it shows the columns on
-- either side under their own names.
with relations as (
  select c.oid, c.relname, c.relkind from pg_class c
  where c.relnamespace = (select oid from pg_namespace where nspname = $1::text) and c.relkind in ('r', 'p', 'v')
),
shown as (
  select r.oid as relation, r.oid as source, a.attnum, a.attname
  from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped where r.relkind <> 'v'
  union
  select r.oid, d.refobjid, b.attnum, b.attname
  from relations r join pg_rewrite w on w.ev_class = r.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.oid
    join pg_attribute b on b.attrelid = d.refobjid and b.attnum = d.refobjsubid
    join pg_attribute a on a.attrelid = r.oid and a.attname = b.attname and a.attnum > 0 and not a.attisdropped
  where r.relkind = 'v'
),
-- The columns of a key as a relation shows them; relations that lack one are left out.
sides as (
  select k.oid as key, k.side, s.relation, array_agg(s.attname::text order by n.at) as columns
  from (select c.oid, 'from' as side, c.conrelid as source, c.conkey as numbers from pg_constraint c where c.contype = 'f'
      union all select c.oid, 'to', c.confrelid, c.confkey from pg_constraint c where c.contype = 'f') k
    cross join lateral unnest(k.numbers) with ordinality n (attnum, at)
    join shown s on s.source = k.source and s.attnum = n.attnum
  group by k.oid, k.side, s.relation, k.numbers having count(*) = cardinality(k.numbers)
)
select c.conname::text as name, f.relname::text as "from", a.columns, t.relname::text as "to", b.columns as referenced,
  exists (select from pg_index i where i.indrelid = c.conrelid and i.indisunique and i.indpred is null and i.indexprs is null
    and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ c.conkey and c.conkey <@ (i.indkey::int2[])[0:i.indnkeyatts - 1]) as "isUnique"
from pg_constraint c join sides a on a.key = c.oid and a.side = 'from' join sides b on b.key = c.oid and b.side = 'to'
  join relations f on f.oid = a.relation join relations t on t.oid = b.relation
where c.contype = 'f' and c.conparentid = 0 order by 1, 2, 4
