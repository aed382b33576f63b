import * as contract from '../../../shared/api/commands.ts'
import { pollCommands, submitResult } from '../../../shared/device/commands.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Commands } from './commands.ts'
import type { CommandDelivery } from './delivery.ts'
import type { CommandResults } from './results.ts'

export function commandRoutes(
  http: Http,
  commands: Commands,
  delivery: CommandDelivery,
  results: CommandResults,
): void {
  const search = searches()
  http.user(contract.queueCommand, ({ actor, params, body }) =>
    commands.queue(actor, params.id, body.type, body.payload),
  )
  http.user(contract.runScript, ({ actor, params, body }) => commands.runScript(actor, params.id, body))
  http.user(contract.queueCommands, ({ actor, body }) => commands.queueSeveral(actor, body))
  http.user(contract.runScripts, ({ actor, body }) => commands.runScripts(actor, body))
  http.user(contract.listCommands, ({ actor, params, query, reply }) =>
    search.steps(actor, reply, commands.list(actor, params.id, query)),
  )
  http.user(contract.readCommand, ({ actor, params, reply }) =>
    search.steps(actor, reply, commands.read(actor, params.id, params.commandId)),
  )
  http.user(contract.cancelCommand, ({ actor, params }) => commands.cancel(actor, params.id, params.commandId))

  http.agent(pollCommands, ({ actor }) => ({ commands: delivery.claim(actor) }))
  http.agent(submitResult, ({ actor, params, body }) => {
    results.submit(actor, params.commandId, body)
    return { success: true as const }
  })
}
