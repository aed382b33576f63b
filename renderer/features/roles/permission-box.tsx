import { Checkbox, Text, Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { descriptionOf } from '../../../shared/permission-descriptions.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { actionName, permissionName } from '../../domain/roles/permission-labels.ts'
import classes from './matrix.module.css'
import type { PermissionState } from './permission-state.ts'

export interface BoxProps {
  permission: Permission
  verdict: PermissionState
  onTurn: (permission: Permission, isWanted: boolean) => void
  /** The permission that the URL names. */
  isPointedAt: boolean
}

interface Props extends BoxProps {
  /** Label; without one, the column heading is the label. */
  action?: string
  /** Shows the explanation as text, where there is no pointer to hover with. */
  isWordy?: boolean
  tabIndex?: number
}

/** Checkbox of a permission. One that cannot be changed stays focusable and says why. */
export function PermissionBox({ permission, verdict, onTurn, isPointedAt, action, isWordy = false, tabIndex }: Props) {
  const { isGiven, isLocked, source, why } = verdict
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isPointedAt) box.current?.scrollIntoView({ block: 'center' })
  }, [isPointedAt])
  const name = permissionName(permission)
  const description = descriptionOf(permission)
  return (
    <div className={classes.box} data-pointed-at={isPointedAt || undefined}>
      <Tooltip
        label={why ? `${description} ${why}` : description}
        disabled={isWordy}
        events={{ hover: true, focus: true, touch: false }}
        multiline
        maw={280}
      >
        <Checkbox
          ref={box}
          size="sm"
          checked={isGiven}
          label={action && actionName(action)}
          aria-label={why ? `${name}. ${why}` : name}
          aria-description={description}
          aria-disabled={isLocked || undefined}
          data-permission={permission}
          tabIndex={tabIndex}
          classNames={{ input: classes.input, body: classes.body }}
          onChange={() => !isLocked && onTurn(permission, !isGiven)}
        />
      </Tooltip>
      {isWordy ? (
        <Text size="xs" c="dimmed" ml={32} aria-hidden>
          {why ? `${description} ${why}` : description}
        </Text>
      ) : (
        source?.kind === 'inherited' && (
          <Text size="xs" c="dimmed" className={classes.source} aria-hidden>
            from {source.from.name}
          </Text>
        )
      )}
    </div>
  )
}
