import { ActionIcon, type BoxProps, Group, Kbd, UnstyledButton } from '@mantine/core'
import { IconSelector, IconX } from '@tabler/icons-react'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import classes from './organization-switcher.module.css'
import {
  useHasOrganizationChoice,
  useSelectedOrganizationId,
  useSelectedOrganizationName,
  useSelectOrganization,
} from './selected-organization.ts'

type Width = Pick<BoxProps, 'visibleFrom' | 'hiddenFrom'>

/** The selected organization, as a button that opens the dialog. Absent where there is only one organization. */
export function OrganizationSwitcher(width: Width) {
  return useHasOrganizationChoice() ? <Switcher {...width} /> : null
}

function Switcher(width: Width) {
  const isOne = useSelectedOrganizationId() !== undefined
  const { name, slug } = useSelectedOrganizationName()
  const open = useOpenDialog('organization')
  const select = useSelectOrganization()
  return (
    <Group {...width} gap={0} wrap="nowrap" className={classes.switcher} data-one={isOne || undefined}>
      <UnstyledButton className={classes.button} onClick={open} aria-haspopup="dialog">
        <span className={classes.words}>
          <span className={classes.label}>Organization</span>
          <span className={classes.name} title={name}>
            {name ?? '…'}
          </span>
          {slug && (
            <span className={classes.slug} title={slug}>
              {slug}
            </span>
          )}
        </span>
        {!isOne && (
          <Kbd size="xs" aria-hidden className={classes.key}>
            S
          </Kbd>
        )}
        <IconSelector size={16} stroke={1.7} aria-hidden />
      </UnstyledButton>
      {isOne && (
        <ActionIcon
          variant="subtle"
          color="gray"
          mr={4}
          aria-label="Show all organizations"
          onClick={() => void select(undefined)}
        >
          <IconX size={15} stroke={1.8} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}
