import { randomUUID } from 'node:crypto'
import { createTablesDoor } from '#server/tables/door.ts'
import type { SchemaRules } from '#server/tables/rule-types.ts'
import { startTestServer } from '#test/server.ts'
import { makeAccount } from './accounts.ts'

const labRules: SchemaRules = {
  maxRows: 5,
  relations: { diaries: { owner: { column: 'owner' } } },
  functions: {},
}

export interface LabRequest {
  who?: { headers: Record<string, string> }
  method?: string
  body?: string
  headers?: Record<string, string>
  door?: LabDoor
}

type LabDoor = ReturnType<typeof createTablesDoor>

/** A schema with columns of many types and every kind of relationship, and a door to it. */
export async function openLab() {
  const server = await startTestServer()
  const [ann, bob] = [await makeAccount(server), await makeAccount(server)]
  await server.sql(`
    create schema lab;
    grant usage on schema lab to anon, authenticated, service_role;
    create table lab.places (
      id int primary key, name text not null, tags text[], span int4range, data jsonb, doc tsvector, at timestamptz,
      parent_id int references lab.places);
    create table lab.people (
      id int primary key, name text not null, home int constraint people_home references lab.places,
      work int constraint people_work references lab.places);
    create table lab.stays (
      person int references lab.people, place int references lab.places, nights int not null, primary key (person, place));
    create table lab.passports (person int primary key references lab.people, number text not null);
    create table lab.diaries (id int primary key, owner uuid not null, person int not null references lab.people, text text);
    create view lab.folk with (security_invoker = true) as select id, name, home from lab.people;
    alter table lab.diaries enable row level security;
    create policy own on lab.diaries to authenticated using (owner = app.current_user_id());
    grant select, insert, update, delete on lab.places, lab.people, lab.stays, lab.diaries to authenticated;
    grant select (person) on lab.passports to anon;
    grant select on lab.passports, lab.folk to authenticated;
    create function lab.people_at(place int) returns setof lab.people language sql stable as
      'select p.* from lab.people p where p.home = place';
    insert into lab.places values
      (1, 'Attic', '{old,high}', '[1,5)', '{"floor": 3, "rooms": [{"name": "west"}, {"name": "east"}], "a.b": "dot"}',
        to_tsvector('english', 'running cats'), '2026-01-01T12:00Z', null),
      (2, 'Barn, red', '{old,wide}', '[5,9)', '{"floor": 1, "rooms": []}', to_tsvector('english', 'a cat ran'), '2026-02-01T12:00Z', 1),
      (3, 'Cellar', null, '[2,3)', null, to_tsvector('simple', 'dogs'), '2026-03-01T12:00Z', 1);
    insert into lab.people values (1, 'Ada', 1, 2), (2, 'Ben', 1, null), (3, 'Cy', null, null);
    insert into lab.stays values (1, 2, 3), (1, 3, 1), (2, 3, 7);
    insert into lab.passports values (1, 'X1');
    insert into lab.diaries values (1, '${ann.id}', 1, 'mine'), (2, '${bob.id}', 1, 'his'), (3, '${bob.id}', 2, 'his too')`)

  const openDoor = (rules: Partial<SchemaRules> = {}) =>
    createTablesDoor({ ...server.context, schema: 'lab', rules: { ...labRules, ...rules } })
  const plain = openDoor()
  const answer = (request: Request, door = plain) => {
    const { hosts, log } = server.context
    const place = hosts.placeOf(request)
    return door(request, { address: '127.0.0.1', place, requestId: randomUUID(), log })
  }
  const send = async (path: string, options: LabRequest = {}) => {
    const { who = ann, method = 'GET', body, headers = {}, door = plain } = options
    const request = new Request(`http://localhost/rest/v1/${path}`, {
      method,
      headers: { ...who.headers, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    })
    const response = await answer(request, door)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
  }
  return { server, ann, bob, openDoor, answer, send, sql: server.sql, close: () => server.close() }
}
