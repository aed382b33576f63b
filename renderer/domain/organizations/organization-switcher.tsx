import { type BoxProps, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSelector } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SwitchDialog } from '../../features/tenant-switcher/switch-dialog.tsx'
import classes from './organization-switcher.module.css'
import { useHasChoice, useLookedAtName } from './selected-organization.ts'

const useOpen = () => {
  const navigate = useNavigate()
  return () => void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'organization' as const }) })
}

type Width = Pick<BoxProps, 'visibleFrom' | 'hiddenFrom'>

/** Says which organization is looked at, and leads to the others. Not there where there is only one. */
export function Switcher(width: Width) {
  return useHasChoice() ? <SwitcherButton {...width} /> : null
}

function SwitcherButton(width: Width) {
  const { name, slug } = useLookedAtName()
  const open = useOpen()
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

/** The dialog behind every such button, and behind its key. */
export function OrganizationSwitch() {
  const hasChoice = useHasChoice()
  const { dialog } = useSearch({ from: '/app' })
  const navigate = useNavigate()
  const open = useOpen()
  useHotkeys([['o', () => hasChoice && !document.querySelector('[aria-modal="true"]') && open()]])
  const close = () => navigate({ to: '.', search: (old) => ({ ...old, dialog: undefined }), replace: true })
  return <SwitchDialog isOpen={dialog === 'organization' && hasChoice} onClose={close} />
}
