import type { SimulationAnswer } from '#domain/reports/report-answers.ts'
import { simulateVisit } from '#domain/visits/simulate-visit.ts'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import type { Database } from '../../postgres/database.ts'
import { decidedLink } from '../decide.ts'
import { type LoadedSite, loadNameEntries } from '../names/load-name-entries.ts'
import { ruleSoftwareOf } from './rule-software.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** Question of `api.simulate_visit` (database/code/22_rules.sql). */
interface SimulationQuestion {
  name: string
  state: 'on' | 'off' | 'blocked'
  visit: SimulatedVisit
}

interface SimulatorDeps {
  database: Database
  config: LoadedSite
}

/** The procedure `simulate_visit`: it reads the link as for a visitor, and counts nothing. */
export function simulationProcedures({ database, config }: SimulatorDeps) {
  return {
    async simulate_visit(question: unknown): Promise<SimulationAnswer> {
      const { name, state, visit } = question as SimulationQuestion
      const { entries } = await loadNameEntries(database, [name], config)
      const link = entries.get(name)
      if (link?.kind !== 'link') return nothing(state === 'off' ? 'off' : 'blocked')
      const { outcome, skipped } = simulateVisit({ ...decidedLink(link), state }, visit, {
        now: Date.now(),
        clicks: link.options?.clicks ?? 0,
        named: ifDefined(visit.user_agent, ruleSoftwareOf),
      })
      const chosen = 'chosen' in outcome ? outcome.chosen : undefined
      return {
        outcome: outcome.do.replaceAll('-', '_'),
        address: ('to' in outcome ? outcome.to : undefined) ?? null,
        status: 'status' in outcome ? outcome.status : null,
        popup_id: outcome.do === 'interstitial' ? (link.popup?.id ?? null) : null,
        rule_id: chosen?.rule.id ?? null,
        variant_id: chosen?.variant?.id ?? null,
        skipped: skipped.map(({ id, condition, why }) => ({ rule_id: id, condition, why })),
      }
    },
  }
}

function nothing(outcome: string): SimulationAnswer {
  return {
    outcome,
    address: null,
    status: null,
    popup_id: null,
    rule_id: null,
    variant_id: null,
    skipped: [],
  }
}
