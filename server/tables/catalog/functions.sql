-- One row for each function of a schema that can be called with named arguments.
select p.proname::text as name, format('%I.%I', $1::text, p.proname) as sql,
  (select coalesce(json_agg(json_build_object('name', arg.name, 'type', format_type(arg.type, null),
      'optional', arg.at > p.pronargs - p.pronargdefaults) order by arg.at), '[]')
    from (select name, type, row_number() over (order by at) as at
      from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes), p.proargmodes) with ordinality as a (name, type, mode, at)
      where coalesce(mode, 'i') in ('i', 'b', 'v')) as arg) as args,
  case when p.prorettype = 'void'::regtype then to_json('void'::text)
    when not p.proretset then to_json('value'::text)
    when row_type.relname is not null then json_build_object('rows', row_type.relname)
    else to_json('list'::text) end as returns,
  p.provolatile <> 'v' as stable, coalesce(obj_description(p.oid, 'pg_proc'), '') as description,
  array(select role from unnest('{anon,authenticated,service_role}'::text[]) as role
    where has_function_privilege(role, p.oid, 'execute')) as roles
from pg_proc p left join pg_class row_type on row_type.reltype = p.prorettype and row_type.relnamespace = p.pronamespace
  and row_type.relkind in ('r', 'p', 'v')
where p.pronamespace = (select oid from pg_namespace where nspname = $1::text) and p.prokind = 'f'
  and p.prorettype <> 'trigger'::regtype
  and (p.pronargs = 0 or coalesce(array_length(p.proargnames, 1), 0) >= p.pronargs and not '' = any (p.proargnames))
order by 1
