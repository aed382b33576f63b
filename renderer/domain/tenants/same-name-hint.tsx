import { StatusDot } from '../../ui/status-dot.tsx'

/** Below a name field: says that the name exists already. `of` describes each one that has it. */
export function SameNameHint({ of, what }: { of: string[]; what: string }) {
  const [first, ...others] = of
  return (
    <span role="status">
      {first !== undefined && (
        <StatusDot tone="warn" isLong>
          {others.length > 0
            ? `There are ${of.length} ${what}s of this name already.`
            : `There is ${what === 'site' ? 'a' : 'an'} ${what} of this name already (${first}).`}
        </StatusDot>
      )}
    </span>
  )
}
