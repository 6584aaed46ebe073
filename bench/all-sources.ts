// All kinds of sources on, with what holds where the operator says nothing.
import { DEFAULT_SETTINGS, NAMED_SOURCE_KEYS } from '../lib/objects/source-settings.ts';
import { sourcesOn } from '../lib/sources/source.ts';

export const SETTINGS = Object.fromEntries(NAMED_SOURCE_KEYS.map((key) => [key, DEFAULT_SETTINGS]));
export const ALL_SOURCES = sourcesOn(SETTINGS);
