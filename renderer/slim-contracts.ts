import { Visitor } from 'rolldown/utils'
import type { Plugin } from 'vite'
import * as permissionLists from '../shared/api/asked-permissions.ts'

/** What the console asks an endpoint for: it checks a body before it asks for a second factor, and no answer. */
const forClients = new Set(['method', 'path', 'access', 'body'])

/**
 * Contracts as the console needs them: without what only the server reads, and without schemas that nothing uses then.
 * Making them all would take a slow computer half a second at each start.
 */
export const slimContracts: Plugin = {
  name: 'slim-contracts',
  apply: 'build',
  transform: {
    order: 'post',
    filter: { id: /\/shared\/.*\.ts$/ },
    handler(code) {
      const edits: Edit[] = []
      let functions = 0
      const enter = () => void functions++
      const leave = () => void functions--
      new Visitor({
        FunctionDeclaration: enter,
        'FunctionDeclaration:exit': leave,
        FunctionExpression: enter,
        'FunctionExpression:exit': leave,
        ArrowFunctionExpression: enter,
        'ArrowFunctionExpression:exit': leave,
        CallExpression({ start, callee, arguments: [definition] }) {
          if (functions > 0) return
          // Loading a contract has no effect but the contract.
          edits.push({ start, end: start, text: '/* @__PURE__ */ ' })
          if (callee.type !== 'Identifier' || callee.name !== 'endpoint' || definition?.type !== 'ObjectExpression')
            return
          for (const [index, property] of definition.properties.entries())
            if (
              property.type === 'Property' &&
              property.key.type === 'Identifier' &&
              !forClients.has(property.key.name)
            )
              edits.push({
                start: property.start,
                end: definition.properties[index + 1]?.start ?? definition.end - 1,
                text: '',
              })
        },
      }).visit(this.parse(code))
      return edited(code, edits)
    },
  },
}

interface Edit {
  start: number
  end: number
  text: string
}

/** Edits within another one are left out. */
function edited(code: string, edits: readonly Edit[]): string {
  let [text, at] = ['', 0]
  for (const edit of edits.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (edit.start < at) continue
    text += code.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + code.slice(at)
}

/** The permissions that endpoints ask for: a list of words, for which the console need not load all contracts. */
export const listedPermissions: Plugin = {
  name: 'listed-permissions',
  apply: 'build',
  transform: {
    filter: { id: /\/shared\/api\/asked-permissions\.ts$/ },
    handler: () =>
      Object.entries(permissionLists)
        .map(([name, list]) => `export const ${name} = ${JSON.stringify(list)}`)
        .join('\n'),
  },
}
