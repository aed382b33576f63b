import { StatusDot } from '../../ui/status-dot.tsx'

/** Below a name field: says that the name exists already. `of` describes each one that has it. */
export function SameNameHint({ of, what }: { of: string[]; what: string }) {
  const [first, ...others] = of
  return (
    <span role="status">
      {first !== undefined && (
        <StatusDot tone="warn" isLong>
          {others.length > 0
            ? `${of.length} ${what}s already have this name.`
            : `${what === 'site' ? 'A site' : 'An organization'} already has this name (${first}).`}
        </StatusDot>
      )}
    </span>
  )
}
