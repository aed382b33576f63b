import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type LinkElement<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>

/** The router's typed links with Mantine's looks. */
export const TextLink = createLink((props: LinkElement<AnchorProps>) => <Anchor c="var(--accent-text)" {...props} />)
export const ButtonLink = createLink((props: LinkElement<ButtonProps>) => <Button component="a" {...props} />)
export const NavItem = createLink((props: LinkElement<NavLinkProps>) => <NavLink component="a" {...props} />)
