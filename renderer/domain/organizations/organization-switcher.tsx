import { type BoxProps, Kbd, UnstyledButton } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import classes from './organization-switcher.module.css'
import { useHasOrganizationChoice, useSelectedOrganizationName } from './selected-organization.ts'

/** Opens the dialog in which another organization is selected. */
export function useOpenOrganizationSwitcher() {
  const navigate = useNavigate()
  return () => void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'organization' as const }) })
}

type Width = Pick<BoxProps, 'visibleFrom' | 'hiddenFrom'>

/** The selected organization, as a button that opens the dialog. Absent where there is only one organization. */
export function OrganizationSwitcher(width: Width) {
  return useHasOrganizationChoice() ? <SwitcherButton {...width} /> : null
}

function SwitcherButton(width: Width) {
  const { name, slug } = useSelectedOrganizationName()
  const open = useOpenOrganizationSwitcher()
  return (
    <UnstyledButton {...width} className={classes.button} onClick={open} aria-haspopup="dialog">
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
      <Kbd size="xs" aria-hidden className={classes.key}>
        o
      </Kbd>
      <IconSelector size={16} stroke={1.7} aria-hidden />
    </UnstyledButton>
  )
}
