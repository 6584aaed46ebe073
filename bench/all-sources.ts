// All kinds of sources, switched on with their default settings.
import { DEFAULT_SETTINGS, NAMED_SOURCE_KEYS } from '../lib/objects/source-settings.ts';
import { sourcesOn } from '../lib/sources/source.ts';

export const SETTINGS = Object.fromEntries(NAMED_SOURCE_KEYS.map((key) => [key, DEFAULT_SETTINGS]));
export const ALL_SOURCES = sourcesOn(SETTINGS);
